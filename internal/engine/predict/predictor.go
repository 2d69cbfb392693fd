// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Predictor predicts for one execution. The zero Predictor has no candidates. It is ready for use
// once Last is set; it must not be copied.
type Predictor struct {
	// Last returns a number that identifies the last write to the 8 bytes at an address. Each write
	// changes the number.
	Last func(addr uintptr) uint64

	registry offheap.AtomicRef[registry] // nil until one is needed: it's large
	making   offheap.Lock
}

// ensureRegistry returns the registry, which it makes if there is none.
func (p *Predictor) ensureRegistry() *registry {
	if r := p.registry.Load(); r != nil {
		return r
	}
	p.making.Lock()
	if p.registry.Load() == nil {
		p.registry.Store((*registry)(host.Alloc(unsafe.Sizeof(registry{}))))
	}
	p.making.Unlock()
	return p.registry.Load()
}

// Reset forgets all reported events. It is called between two traces: no event of the first one is
// reported any more.
func (p *Predictor) Reset() {
	if r := p.registry.Load(); r != nil {
		*r = registry{}
	}
}

// Busy reports whether there are candidates or sections, so that all events have to be reported.
//
//go:nosplit
func (p *Predictor) Busy() bool {
	r := p.registry.Load()
	return r != nil && r.busy.Load() != 0
}

// Live reports whether there are candidates.
//
//go:nosplit
func (p *Predictor) Live() bool {
	r := p.registry.Load()
	return r != nil && r.live.Load() != 0
}

// Freed reports that memory is no longer in use. The memory may be a stack that has become too
// small for a function of this package. So Freed takes no lock, and only sets bits: the
// candidates are dropped when the lock is taken next.
func (p *Predictor) Freed(addr, size uintptr) {
	r := p.registry.Load()
	if r == nil || r.live.Load() == 0 ||
		size <= 1<<12 && r.pages.Load()&(1<<pageOf(addr)|1<<pageOf(addr+size-1)) == 0 {
		return
	}
	for rest := r.live.Load(); rest != 0; rest &= rest - 1 {
		// The difference is unsigned: a lower address is no less than size.
		if g := trailingZeros(rest); r.addr[g].Load()-addr < size {
			for {
				if old := r.freed.Load(); r.freed.CompareAndSwap(old, old|1<<g) {
					break
				}
			}
		}
	}
}

// Found reports whether there are predictions to collect.
//
//go:nosplit
func (p *Predictor) Found() bool {
	r := p.registry.Load()
	return r != nil && r.found.Load() != 0
}

// Collect returns a prediction that no call has returned yet.
func (p *Predictor) Collect() (found Prediction, ok bool) {
	r := p.registry.Load()
	if r == nil || r.found.Load() == 0 {
		return found, false
	}
	r.lockAndDropFreed()
	for rest := r.live.Load(); rest != 0 && !ok; rest &= rest - 1 {
		if g := trailingZeros(rest); r.candidate[g].found {
			found, ok = r.candidate[g].Prediction, true
			r.candidate[g].found = false
			r.found.Add(^uint32(0))
			if key := &r.kinds[r.candidate[g].kind]; key.hash == r.candidate[g].kindHash {
				key.n = maxPerKind // a kind is predicted once
			}
			r.drop(g)
		}
	}
	r.lock.Unlock()
	return found, ok
}
