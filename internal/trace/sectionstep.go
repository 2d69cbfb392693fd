// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// A SectionStep is a step of a recorded trace for the check of critical sections: synchronization
// with the addresses in the program, and steps that only this check needs. The steps begin with the
// first one that only this check needs.
type SectionStep struct {
	Event   uint64     // the step is this event of the trace, or comes before it
	Kind    event.Kind // Acquire, Release, ..., Fork, Exit, AcquireAll, Fresh or Value
	Thread  uint32
	Pos     uint32 // of a touch
	What    uint64 // of a Value: its kind in package spec, from Locking on, or Fails
	Number  uint32 // of the place; Leaves: the number of entered functions; Operated: the operation
	Child   uint32 // of a Fork
	Address uint64 // of the lock, the object, the touched variable, or the beginning of the memory
	Size    uint64 // of the memory, or of the variable of an atomic operation

	// Exchange says that the step is the release of an exchange, and also acquires. Inside says
	// that the operation is the library's own.
	Exchange, Inside bool

	// The data of the touch, if Full; see package spec. Operated has a Word only.
	Full              bool
	Key, Word, Length uint64
}

// guarded is what a program has of functions that check in one critical section and act in
// another.
type guarded struct {
	touches []*compiled.SectionTouch // by number
	sites   []*compiled.LockSite     // by number
	funcs   []*SectionFunc           // by number
}

// A SectionFunc is a function that checks in one critical section and acts in another.
type SectionFunc struct {
	compiled.SectionFunc
	flags []uint64 // of each pair, as package spec has them
}

// SetTouchSite defines the place of a touch in a critical section.
func (p *Program) SetTouchSite(id uint32, flags uint64, point, name, decl, at string) {
	t := &compiled.SectionTouch{
		Op:     compiled.TouchOp(flags >> spec.OpShift & (1<<spec.OpBits - 1)),
		Atomic: compiled.AtomicKind(flags >> spec.AtomicShift), Local: flags&spec.LocalVar != 0,
		Point: p.text(point), Name: p.text(name), Decl: p.text(decl), At: p.line(at),
	}
	p.guarded.touches = set(p.guarded.touches, id, t)
}

// SetLockSite defines a call that takes a lock.
func (p *Program) SetLockSite(id, size uint32, flags uint64, lock, at string) {
	s := &compiled.LockSite{
		Lock: p.text(lock), Size: size, Read: flags&spec.ReadLock != 0,
		Complete: flags&spec.Complete != 0, At: p.line(at),
	}
	p.guarded.sites = set(p.guarded.sites, id, s)
}

// SetPair adds a pair to a function, or sets the flags of an existing pair.
func (p *Program) SetPair(id, check, act uint32, flags uint64, name, by string) {
	c, a := get(p.guarded.touches, check), get(p.guarded.touches, act)
	if c == nil || a == nil {
		return // the trace is not whole
	}
	f := get(p.guarded.funcs, id)
	if f == nil {
		f = new(SectionFunc)
		f.Code.Name = p.text(name)
		f.Marked = flags&spec.PairMarked != 0
		p.guarded.funcs = set(p.guarded.funcs, id, f)
	}
	switch i, n := int(flags>>spec.IndexShift&0xffff), int(flags>>spec.PairsShift); {
	case i < len(f.flags):
		f.flags[i] = flags
		return
	case i > len(f.flags), i >= n: // one before is lost
		return
	}
	checkBy, actBy, _ := strings.Cut(by, "\n")
	f.Pairs = append(f.Pairs, compiled.SectionPair{
		Check: c, Act: a, CheckBy: p.line(checkBy), ActBy: p.line(actBy),
		Shape: compiled.Shape(flags >> spec.ShapeShift), Value: flags&spec.ByValue != 0,
		Fill: flags&spec.Fills != 0, Always: flags&spec.Always != 0,
		Latest: flags&spec.LatestOnly != 0,
	})
	f.flags = append(f.flags, flags)
}

// isWhole reports whether a function has all its pairs.
func (f *SectionFunc) isWhole() bool {
	return f != nil && len(f.flags) > 0 && len(f.flags) == int(f.flags[0]>>spec.PairsShift)
}

// line is a line of the source from file:line; none if the text is empty.
func (p *Program) line(at string) (l compiled.Line) {
	if i := strings.LastIndexByte(at, ':'); i >= 0 {
		l.File = p.text(at[:i])
		l.Number, _ = strconv.Atoi(at[i+1:])
	}
	return l
}

// TouchSite is the place with a number, nil if it is not defined.
func (p *Program) TouchSite(id uint32) *compiled.SectionTouch {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return get(p.guarded.touches, id)
}

// LockSite is the call with a number that takes a lock, nil if it is not defined.
func (p *Program) LockSite(id uint32) *compiled.LockSite {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return get(p.guarded.sites, id)
}

// SectionFunc is the function with a number, nil if not all of its pairs are defined.
func (p *Program) SectionFunc(id uint32) *SectionFunc {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if f := get(p.guarded.funcs, id); f.isWhole() {
		return f
	}
	return nil
}

// PairFlags are the flags of a pair of a function, as package spec has them.
func (p *Program) PairFlags(f *SectionFunc, pair int) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return f.flags[pair]
}

// HasSections reports whether the trace has data to check critical sections.
func (p *Program) HasSections() bool {
	if p == nil || !p.Sections {
		return false
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.guarded.funcs) > 0
}

// KeyText is the text of the key or value with a hash, empty if it is not known.
func (p *Program) KeyText(hash uint64) string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.keys[hash]
}
