// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A raising is a script with the function raise, and goroutines to call it.
type raising struct {
	*script
	f        *compiled.SectionFunc
	get, put *compiled.SectionTouch
	a, b     *goroutine
}

func newRaising(t *testing.T) *raising {
	r := &raising{script: newScript()}
	t.Cleanup(r.finish)
	r.f, r.get, r.put = raise()
	r.register(r.f)
	r.a, r.b = r.start(nil), r.start(nil)
	return r
}

// raise has g call the function, from a value.
func (r *raising) raise(g *goroutine, from uint64) {
	g.enter(r.f)
	g.section(r.get, 1, from, 0)
	g.section(r.put, 1, from+1, 1)
	g.leave()
}

// want fails unless the evidence is as it should be.
func (r *raising) want(t *testing.T, what string, want ...Evidence) {
	t.Helper()
	for _, g := range r.started {
		g.Deliver(g)
	}
	if got := r.evidence(); !slices.Equal(got, want) {
		t.Errorf("%s: found %v, want %v", what, got, want)
	}
}

// TestPredicted has a write that comes after the act, whatever that has done.
func TestPredicted(t *testing.T) {
	r := newRaising(t)
	set := site(compiled.Insert, "m")
	r.world.Heat(set)
	r.raise(r.a, 7)
	r.b.section(set, 1, 100, 1)
	r.want(t, "a write after the act", Predicted)

	r = newRaising(t)
	r.world.Heat(set)
	r.raise(r.a, 7)
	r.b.section(set, 1, 7, 1) // what was there before the act
	r.raise(r.a, 7)
	r.want(t, "a write of what was there")
}

// TestOpaque has a section of a or b that is not complete: it keeps full order.
func TestOpaque(t *testing.T) {
	for what, f := range map[string]func(r *raising){
		"an opaque section of the first goroutine, after the act": func(r *raising) {
			r.a.lock(opaque, mutex)
			r.a.unlock(mutex)
		},
		"one that nothing has announced": func(r *raising) {
			r.a.acquire(mutex)
			r.a.unlock(mutex)
		},
		"one with too many touches": func(r *raising) {
			r.a.enter(r.f)
			r.a.lock(complete, mutex)
			for i := range uint64(maxTouches + 1) {
				r.a.Touch(r.a, r.get, object, 100+i, 1, 0)
			}
			r.a.unlock(mutex)
			r.a.leave()
		},
		"one with another lock inside": func(r *raising) {
			r.a.enter(r.f)
			r.a.lock(complete, mutex)
			r.a.lock(complete, outerAddr)
			r.a.unlock(outerAddr)
			r.a.unlock(mutex)
			r.a.leave()
		},
		"one that clears the map": func(r *raising) {
			clears := site(compiled.WriteAll, "m")
			r.a.enter(r.f)
			r.a.section(clears, 0, Unknown, 0)
			r.a.leave()
		},
		"a lock that another goroutine lets go": func(r *raising) {
			r.a.enter(r.f)
			r.a.lock(complete, mutex)
			r.b.unlock(mutex)
			r.a.leave()
		},
		"a write without a lock": func(r *raising) { r.a.Touch(r.a, r.put, object, 1, 9, 1) },
		"memory that is used again": func(r *raising) {
			r.world.Freed(object, object+8, nil)
		},
		"a lock whose memory is used again": func(r *raising) {
			r.world.Freed(mutex, mutex+8, func(uintptr) bool { return true })
		},
	} {
		r := newRaising(t)
		r.raise(r.a, 7)
		f(r)
		r.raise(r.b, 8)
		r.want(t, what)
	}
	r := newRaising(t)
	r.raise(r.a, 7)
	r.raise(r.b, 8)
	r.want(t, "none of it", Twin)
}

// TestLookedAgainUnseen has a check that is made again in a way that can't be followed, before the
// act: that one counts.
func TestLookedAgainUnseen(t *testing.T) {
	for what, again := range map[string]func(r *raising){
		"without a lock": func(r *raising) { r.a.Touch(r.a, r.get, object, 1, 8, 0) },
		"in an opaque section": func(r *raising) {
			r.a.lock(opaque, mutex)
			r.a.Touch(r.a, r.get, object, 1, 8, 0)
			r.a.unlock(mutex)
		},
		"in a section with another inside": func(r *raising) {
			r.a.lock(complete, mutex)
			r.a.Touch(r.a, r.get, object, 1, 8, 0)
			r.a.lock(complete, outerAddr)
			r.a.unlock(outerAddr)
			r.a.unlock(mutex)
		},
		"in a section that can be followed": func(r *raising) { r.a.section(r.get, 1, 8, 0) },
	} {
		r := newRaising(t)
		r.a.enter(r.f)
		r.a.section(r.get, 1, 7, 0)
		r.b.section(r.put, 1, 8, 1)
		again(r)
		r.a.section(r.put, 1, 9, 1)
		r.a.leave()
		r.want(t, what)
	}
}

// TestTold has a goroutine that learns of the other's change before it acts.
func TestTold(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.b.section(r.put, 1, 8, 1)
	r.b.release(chanel, true)
	r.a.acquire(chanel)
	r.a.section(r.put, 1, 9, 1)
	r.a.leave()
	r.want(t, "told")

	// It has seen it in another section, and nobody has told.
	other := site(compiled.Lookup, "m")
	see := func(told, later func(r *raising), want ...Evidence) {
		t.Helper()
		r := newRaising(t)
		r.world.Heat(other)
		r.a.enter(r.f)
		r.a.section(r.get, 1, 7, 0)
		r.b.lock(complete, mutex)
		r.b.Touch(r.b, r.put, object, 1, 8, 1)
		r.b.release(chanel, true)
		if told != nil {
			told(r)
		}
		r.b.unlock(mutex)
		r.a.section(other, 1, 8, 0)
		if later != nil {
			later(r)
		}
		r.a.section(r.put, 1, 9, 1)
		r.a.leave()
		r.want(t, "seen between", want...)
	}
	tell := func(r *raising) { r.a.acquire(chanel) }
	see(nil, nil, Observed)
	see(tell, nil)
	see(nil, tell)
	see(nil, func(r *raising) { // by what an activation inside acquires, which has not looked
		inner, _, _ := raise()
		r.register(inner)
		r.a.enter(inner)
		tell(r)
		r.a.leave()
	})
}

// TestOpaqueBetween has an opaque section between check and act. What it has changed isn't known,
// so it isn't known either what another would have seen right before the act.
func TestOpaqueBetween(t *testing.T) {
	for _, how := range []*compiled.LockSite{opaque, complete} {
		r := newRaising(t)
		c := r.start(nil)
		r.a.enter(r.f)
		r.a.section(r.get, 1, 7, 0)
		c.lock(how, mutex)
		c.unlock(mutex)
		r.a.section(r.put, 1, 8, 1)
		r.a.leave()
		r.raise(r.b, 8)
		if how == opaque {
			r.want(t, "an opaque section between")
		} else {
			r.want(t, "a complete section between", Twin)
		}
	}
}

// TestOpaqueBefore has a section before each check, in which one goroutine may read something else
// than the other. Whether the other acts, too, may depend on that.
func TestOpaqueBefore(t *testing.T) {
	with := func(
		what string, differs uint64, how *compiled.LockSite, inside bool, want ...Evidence,
	) {
		r := newRaising(t)
		x := site(compiled.ReadVar, "x")
		r.world.Heat(x)
		r.a.enter(r.f)
		r.b.enter(r.f)
		for i, g := range []*goroutine{r.a, r.b} {
			if how != nil {
				g.lock(how, mutex)
			}
			if inside { // from here on the section is opaque
				g.Touch(g, x, object+64, 0, uint64(i)*differs, 0)
				g.lock(complete, outerAddr)
				g.unlock(outerAddr)
			} else if !Quiet(&g.Thread, x) && !Passes(&g.Thread, x, false) {
				g.Touch(g, x, object+64, 0, uint64(i)*differs, 0)
			}
			if how != nil {
				g.unlock(mutex)
			}
		}
		r.a.section(r.get, 1, 7, 0)
		r.a.section(r.put, 1, 8, 1)
		r.a.leave()
		r.b.section(r.get, 1, 8, 0)
		r.b.leave()
		r.want(t, what, want...)
	}
	with("a complete one, the same", 0, complete, false, Twin)
	with("a complete one, another value", 1, complete, false)
	with("none, without a lock", 0, nil, false, Twin)
	with("an opaque one", 1, opaque, false)
	with("one that becomes opaque", 1, complete, true)
}

// TestABA has a value that is what it was by the time of the act.
func TestABA(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.b.section(r.put, 1, 8, 1)
	r.b.section(r.put, 1, 7, 1)
	r.a.section(r.put, 1, 9, 1)
	r.a.leave()
	for _, e := range r.evidence() {
		if e == Observed {
			t.Error("observed, and the value is what it was")
		}
	}
}

// TestOwnBetween has a write of the goroutine's own between check and act. Another one sets the
// value back to what the check has seen: that is a change.
func TestOwnBetween(t *testing.T) {
	r := newRaising(t)
	set := site(compiled.Insert, "m")
	r.world.Heat(set)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.a.section(set, 1, 8, 1)
	r.b.section(r.put, 1, 7, 1)
	r.a.section(r.put, 1, 9, 1)
	r.a.leave()
	r.want(t, "a write of its own", Observed)
}

// TestPanic leaves activations in the middle: those that were called go with them, and an act that
// follows has no check.
func TestPanic(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	outer := r.a.frame[0]
	r.a.lock(complete, mutex) // it is let go by a deferred call of a caller
	r.a.Touch(r.a, r.put, object, 1, 8, 1)
	r.a.Leave(outer, r.a)
	r.a.unlock(mutex)
	r.a.Leave(outer, r.a)
	r.a.frame = nil
	r.raise(r.b, 8)
	r.want(t, "after a panic")
}

// TestRecursion has a function that calls itself between its check and its act.
func TestRecursion(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.raise(r.a, 7) // its own write is no other's
	r.a.section(r.put, 1, 8, 1)
	r.a.leave()
	r.want(t, "recursion")
	r.b.section(r.put, 1, 20, 1)
	r.want(t, "and a write", Predicted)
}

// TestReaders has checks in sections of readers that overlap, of a lock with two addresses.
func TestReaders(t *testing.T) {
	r := newRaising(t)
	reading := &compiled.LockSite{Size: 24, Complete: true, Read: true}
	writing := &compiled.LockSite{Size: 24, Complete: true}
	const readers, writers = mutex + 16, mutex + 12 // as in sync.RWMutex
	rlock := func(g *goroutine) {
		g.Locking(reading, mutex, g)
		g.acquire(readers)
	}
	write := func(g *goroutine, v uint64) {
		g.Locking(writing, mutex, g)
		g.acquire(readers)
		g.acquire(writers)
		g.Touch(g, r.put, object, 1, v, 1)
		g.release(readers, false)
	}
	r.a.enter(r.f)
	r.b.enter(r.f)
	rlock(r.a)
	rlock(r.b)
	r.a.Touch(r.a, r.get, object, 1, 7, 0)
	r.b.Touch(r.b, r.get, object, 1, 7, 0)
	r.b.release(writers, true)
	r.a.release(writers, true)
	write(r.a, 8)
	write(r.b, 8)
	r.a.leave()
	r.b.leave()
	r.want(t, "both checked, both act", Observed)
}

// TestExit ends a goroutine in the middle of all.
func TestExit(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.a.lock(complete, mutex)
	r.a.End()
	r.a.Releasing(mutex)
	r.raise(r.b, 7)
	r.want(t, "after an exit")
}

// TestSeldom has a function that has looked with the same result and not acted.
func TestSeldom(t *testing.T) {
	r := newRaising(t)
	r.a.enter(r.f)
	r.a.section(r.get, 1, 7, 0)
	r.a.leave()
	r.raise(r.a, 7)
	r.raise(r.b, 8)
	if len(r.found) != 1 || !r.found[0].Seldom {
		t.Errorf("found %+v, want one that is seldom", r.found)
	}
}

// TestLeftHeld has a goroutine take locks that others let go, more than there is room for: it is
// followed all the same, once it takes others.
func TestLeftHeld(t *testing.T) {
	r := newRaising(t)
	for i := range uintptr(3 * maxHeld) {
		r.a.lock(complete, mutex+0x1000+i*64)
		r.a.lock(complete, mutex+0x1000)
	}
	r.raise(r.a, 7)
	r.raise(r.b, 8)
	r.want(t, "with locks that are never let go", Twin)
}
