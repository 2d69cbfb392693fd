// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A loading is two executions of the same events. In the second, each load is recorded.
type loading struct {
	flags   [2]*flagged
	value   [3]uint64 // of the variables
	entered []bool
	past    [][2]vclock.Epoch // when operations were made
	again   int               // loads that were not recorded
	log     []string
}

func newLoading(n int) *loading {
	l := &loading{entered: make([]bool, n)}
	for k := range l.flags {
		f := unfinished()
		for len(f.started) < n {
			f.start(nil)
		}
		l.flags[k] = f
	}
	return l
}

// each does something in both.
func (l *loading) each(i int, do func(f *flagged, g *goroutine)) {
	for k, f := range l.flags {
		g := f.started[i]
		if s := g.state.P(); s != nil && k == 1 {
			retireAll(s)
		}
		do(f, g)
	}
}

// at is the address of a variable. The executions share the records of memory that was freed, so
// they have addresses of their own.
func (l *loading) at(f *flagged, v int) uintptr {
	addr := object + 8*uintptr(v)
	if f == l.flags[1] {
		addr += 1 << 20
	}
	return addr
}

// operate has a goroutine make an operation of a variable that leaves a value.
func (l *loading) operate(i, v int, kind compiled.TouchOp, announced bool, value uint64) {
	l.value[v] = value
	repeats := false
	l.each(i, func(f *flagged, g *goroutine) {
		addr := l.at(f, v)
		if announced {
			touch := map[compiled.TouchOp]*compiled.SectionTouch{compiled.ReadVar: f.look,
				compiled.WriteVar: f.set, compiled.UpdateVar: f.add}[kind]
			g.Announce(touch, addr, 8, g)
		}
		s := g.state.P()
		if s != nil {
			s.earlier = earlier{} // no section repeats another in either
		}
		by := f == l.flags[0] && s != nil && s.run.Nil() && announced &&
			kind == compiled.ReadVar && s.reader(addr).active.Load() != 0
		was := g.clock.Now()
		g.operate(kind, addr, value)
		if by && s.reader(addr).active.Load() != 0 {
			l.again++
			repeats = g.clock.Now() == was
		}
	})
	if announced && !repeats { // else it has no epoch of its own
		l.past = append(l.past, [2]vclock.Epoch{l.flags[0].started[i].clock.Now(),
			l.flags[1].started[i].clock.Now()})
	}
}

// differs says which operation a goroutine knows in one of the executions only, "" if there is
// none.
func (l *loading) differs() string {
	for i := range l.entered {
		a, b := &l.flags[0].started[i].clock, &l.flags[1].started[i].clock
		for n, p := range l.past {
			if x, y := a.Knows(p[0]), b.Knows(p[1]); x != y {
				return fmt.Sprintf("goroutine %d knows operation %d: %v, and if all are recorded %v",
					i, n, x, y)
			}
		}
	}
	return ""
}

// step does something at random, and says what.
func (l *loading) step(r *rand.Rand) string {
	i, v := r.Intn(len(l.entered)), r.Intn(len(l.value))
	value := uint64(r.Intn(2))
	switch n := r.Intn(33); {
	case n == 32:
		l.value[v] = value
		l.each(i, func(f *flagged, g *goroutine) {
			g.Touch(g, site(compiled.WriteVar, "x"), l.at(f, v), 0, value, 0)
		})
		return fmt.Sprintf("%d: writes %d to %d without a lock", i, value, v)
	case n < 2:
		orders, order := ordering(r)
		l.each(i, func(_ *flagged, g *goroutine) { order(g) })
		return fmt.Sprintf("%d: %s", i, orders)
	case n == 2:
		kind := []compiled.TouchOp{compiled.ReadVar, compiled.WriteVar,
			compiled.UpdateVar}[r.Intn(3)]
		if kind == compiled.ReadVar {
			value = l.value[v]
		}
		l.operate(i, v, kind, false, value)
		return fmt.Sprintf("%d: operation %d of %d, not announced", i, kind, v)
	case n < 5:
		l.operate(i, v, compiled.WriteVar, true, value)
		return fmt.Sprintf("%d: stores %d to %d", i, value, v)
	case n == 5:
		l.operate(i, v, compiled.UpdateVar, true, value)
		return fmt.Sprintf("%d: swaps %d, now %d", i, v, value)
	case n == 6:
		l.value[v] = value // nobody tells of that
		return fmt.Sprintf("%d becomes %d", v, value)
	case n == 7:
		for _, f := range l.flags {
			f.world.Freed(l.at(f, v), l.at(f, v)+8, nil)
		}
		return fmt.Sprintf("%d is freed", v)
	case n == 8:
		l.each(i, func(f *flagged, g *goroutine) {
			g.lock(complete, mutex)
			g.Touch(g, site(compiled.WriteVar, "x"), l.at(f, v), 0, value, 0)
			g.unlock(mutex)
		})
		return fmt.Sprintf("%d: writes %d under a lock", i, v)
	case n < 12:
		l.entered[i] = !l.entered[i]
		l.each(i, func(f *flagged, g *goroutine) {
			if l.entered[i] {
				g.enter(&f.code)
			} else {
				g.leave()
			}
		})
		return fmt.Sprintf("%d: enters %v", i, l.entered[i])
	case n < 16:
		l.each(i, func(_ *flagged, g *goroutine) { g.lock(complete, mutex) })
		l.operate(i, v, compiled.ReadVar, true, l.value[v])
		l.each(i, func(_ *flagged, g *goroutine) { g.unlock(mutex) })
		return fmt.Sprintf("%d: loads %d in a section", i, v)
	}
	times := 1 + r.Intn(5)
	for range times {
		l.operate(i, v, compiled.ReadVar, true, l.value[v])
	}
	return fmt.Sprintf("%d: loads %d, %d times", i, v, times)
}

// TestLoadsAgain wants the same findings whether or not loads of what nobody has changed are
// recorded, and that goroutines know the same operations of others.
func TestLoadsAgain(t *testing.T) {
	again, found := 0, 0
	seeds := int64(4000)
	if testing.Short() {
		seeds = 200
	}
	for seed := range seeds {
		r := rand.New(rand.NewSource(seed))
		l := newLoading(2 + r.Intn(3))
		for range 10 + r.Intn(80) {
			l.log = append(l.log, l.step(r))
			if d := l.differs(); d != "" {
				t.Fatalf("seed %d: %s:\n%q", seed, d, l.log)
			}
		}
		for _, f := range l.flags {
			f.finish()
		}
		a, b := l.flags[0].evidence(), l.flags[1].evidence()
		if !slices.Equal(a, b) {
			t.Fatalf("seed %d: found %v, and if all loads are recorded %v:\n%q", seed, a, b, l.log)
		}
		again += l.again
		found += len(a)
	}
	if again < 2*int(seeds) || found < int(seeds)/25 {
		t.Errorf("%d loads were not recorded, %d findings: that says little", again, found)
	}
	t.Logf("%d loads were not recorded; %d findings", again, found)
}

// loads has a goroutine load a variable so often, and returns its reader there.
func (f *flagged) loads(g *goroutine, times int) *reader {
	for range times {
		g.announced(f.look, 0)
	}
	return g.state.P().reader(object)
}

// TestLoaders has goroutines load a variable. Their readers are active from the third load on, and
// until something is stored, the variable is freed, or they end.
func TestLoaders(t *testing.T) {
	for name, end := range map[string]func(f *flagged){
		"stored": func(f *flagged) { f.start(nil).announced(f.set, 0) },
		"freed":  func(f *flagged) { f.world.Freed(object, object+8, nil) },
		"ended":  func(f *flagged) { f.a.End(); f.b.End() },
	} {
		f := newFlagged(t)
		f.loads(f.b, 1)
		f.loads(f.a, 1) // no longer alone
		f.loads(f.b, 1)
		if a, b := f.loads(f.a, 0), f.loads(f.b, 0); a.active.Load()+b.active.Load() != 0 {
			t.Fatalf("%s: a reader is active at once", name)
		}
		a, b := f.loads(f.a, 1), f.loads(f.b, 1)
		l := f.world.knownLock(object)
		if a.active.Load()+b.active.Load() != 2 || l.readers.Load() != b || b.next.P() != a {
			t.Fatalf("%s: the two readers are not active", name)
		}
		end(f)
		if a.active.Load()+b.active.Load() != 0 || l.readers.Load() != nil {
			t.Errorf("%s: a reader is still active", name)
		}
	}
}

// TestLoadersAtOnce has goroutines load and store one variable, each in a thread of its own. A
// store knows of each load that has found what was there before.
func TestLoadersAtOnce(t *testing.T) {
	const nLoaders, loads = 3, 2000
	f := newFlagged(t)
	var value atomic.Uint64
	type load struct {
		found uint64
		epoch vclock.Epoch
	}
	var seen [nLoaders][]load
	make := func(g *goroutine, p *compiled.SectionTouch, do func() uint64) {
		g.Announce(p, object, 8, g)
		if !g.Making(object, p.Op, false) {
			t.Error("the operation was announced")
		}
		g.Made(do())
	}
	var loaders []*goroutine
	for range nLoaders {
		loaders = append(loaders, f.start(nil))
	}
	var wg sync.WaitGroup
	var loaded atomic.Int64
	for i, g := range loaders {
		wg.Go(func() {
			for range loads {
				loaded.Add(1)
				g.clock.Tick() // a reader has to note the new epoch
				var v uint64
				make(g, f.look, func() uint64 { v = value.Load(); return v })
				seen[i] = append(seen[i], load{v, g.clock.Now()})
				if len(seen[i])%8 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	var clocks []vclock.Snapshot // after each store
	const stores = 100
	for n := range stores {
		make(f.a, f.set, func() uint64 { return value.Add(1) })
		clocks = append(clocks, f.a.clock.Snapshot())
		for loaded.Load() < int64(n*nLoaders*loads/stores) { // so loads come between all stores
			runtime.Gosched()
		}
	}
	wg.Wait()
	again := 0
	for i := range seen {
		for n, x := range seen[i] {
			if n > 0 && x.found == seen[i][n-1].found {
				again++
			}
			if x.found < uint64(len(clocks)) && !clocks[x.found].Knows(x.epoch) {
				t.Fatalf("store %d doesn't know load %d of goroutine %d", x.found+1, n, i)
			}
			if x.found > 1 && clocks[x.found-2].Knows(x.epoch) {
				t.Fatalf("store %d knows load %d of goroutine %d, which came later", x.found-1, n, i)
			}
		}
	}
	for i := range clocks {
		clocks[i].Drop()
	}
	if again < loads {
		t.Errorf("%d loads have found what the last one has found, want %d", again, loads)
	}
}

// TestLoadersElsewhere has a section of a lock touch a variable that has an active reader. The next
// load is recorded, so that a write without a lock is taken for one of the variable again.
func TestLoadersElsewhere(t *testing.T) {
	f := newFlagged(t)
	f.loads(f.b, 1)
	if r := f.loads(f.a, 3); r.active.Load() == 0 {
		t.Fatal("the reader is not active")
	}
	c := f.start(nil)
	c.lock(complete, mutex)
	c.unlock(mutex)
	f.b.lock(complete, mutex)
	f.b.Touch(f.b, site(compiled.ReadVar, "x"), object, 0, 0, 0)
	f.b.unlock(mutex)
	under := &f.world.tracked.find(object).under
	if under.Load() == f.world.knownLock(object) {
		t.Fatal("the variable was not touched under the lock")
	}
	f.loads(f.a, 1)
	if under.Load() != f.world.knownLock(object) {
		t.Error("the load was not recorded")
	}
}
