// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand"
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A counter is a Sink that counts. Findings are looked at for what must be true of all.
type counter struct {
	goid     uint64
	captured int
	found    [3]int
	wrong    int
}

func (c *counter) Capture(e *Event) { e.Goid = c.goid; c.captured++ }

func (c *counter) Report(f *Finding) {
	c.found[f.Evidence]++
	if f.Check.Touch.P() != f.pair().Check || f.Act.Touch.P() != f.pair().Act ||
		f.Check.Goid != f.Act.Goid || f.Other.Goid == f.Act.Goid {
		c.wrong++
	}
}

// TestConcurrently has goroutines run at once: raises, readers, opaque sections, nested ones, and
// memory that is freed and used again. Under the race detector it says if the engine's own state is
// guarded.
func TestConcurrently(t *testing.T) {
	const workers, rounds, objects = 6, 3000, 4
	var world World
	var clocks vclock.World
	f, get, put := raise()
	length := site(compiled.Len, "m")
	world.Register(f)
	world.Heat(length)
	var locks [objects]struct {
		sync.RWMutex
		m map[uint64]uint64
	}
	var free sync.RWMutex // keeps memory from being freed while it is in use
	for i := range locks {
		locks[i].m = make(map[uint64]uint64)
	}
	var wg sync.WaitGroup
	var all [workers]counter
	for i := range workers {
		wg.Go(func() {
			var g Thread
			clock := new(vclock.Thread)
			clocks.Start(clock)
			g.Start(&world, clock)
			c := &all[i]
			c.goid = uint64(i + 1)
			r := rand.New(rand.NewSource(int64(i)))
			section := func(n int, site *compiled.LockSite,
				body func(m map[uint64]uint64, at uintptr)) {
				l := &locks[n]
				addr := mutex + uintptr(n)*0x100
				g.Locking(site, addr, c)
				if site.Read {
					l.RLock()
				} else {
					l.Lock()
				}
				g.Acquired(addr)
				body(l.m, object+uintptr(n)*0x100)
				g.Releasing(addr)
				if site.Read {
					l.RUnlock()
				} else {
					l.Unlock()
				}
			}
			for range rounds {
				free.RLock()
				n, key := r.Intn(objects), uint64(r.Intn(3))
				switch r.Intn(8) {
				case 0:
					section(n, opaque, func(m map[uint64]uint64, at uintptr) { m[key]++ })
				case 1:
					section(n, completeRead, func(m map[uint64]uint64, at uintptr) {
						g.Touch(c, length, at, 0, uint64(len(m)), 0)
					})
				default:
					var a Activation
					x := uint64(0)
					g.Enter(&a, f)
					section(n, completeRead, func(m map[uint64]uint64, at uintptr) {
						x = m[key]
						g.Touch(c, get, at, key, x, 0)
					})
					if r.Intn(4) == 0 {
						runtime.Gosched()
					}
					section(n, complete, func(m map[uint64]uint64, at uintptr) {
						m[key] = x + 1
						g.Touch(c, put, at, key, x+1, uint64(len(m)))
					})
					g.Leave(&a, c)
				}
				free.RUnlock()
				if r.Intn(100) == 0 {
					free.Lock()
					lo := object + uintptr(n)*0x100
					world.Freed(lo, lo+64, nil)
					if r.Intn(2) == 0 {
						lo = mutex + uintptr(n)*0x100
						world.Freed(lo, lo+64, func(addr uintptr) bool { return addr >= lo })
					}
					locks[n].m = make(map[uint64]uint64)
					free.Unlock()
				}
			}
			g.End()
			clock.End()
			runtime.KeepAlive(clock)
		})
	}
	wg.Wait()
	var found [3]int
	for i := range all {
		for e, n := range all[i].found {
			found[e] += n
		}
		if all[i].wrong > 0 {
			t.Errorf("%d findings are not of the pair, or of one goroutine", all[i].wrong)
		}
	}
	if found[Observed] == 0 {
		t.Errorf("found %d: nothing was observed", found)
	}
	t.Logf("found %d", found)
	world.Freed(mutex, mutex+0x10000, nil)
	if n := world.points.Load(); n != 0 {
		t.Errorf("%d points are left", n)
	}
}
