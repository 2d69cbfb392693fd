// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/lockorder"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/event"
)

// TestFollowsLocks has locks followed only where it can be told who takes them: elsewhere they cost
// nothing.
func TestFollowsLocks(t *testing.T) {
	option.Parse("deadlock=fail")
	defer option.Reset()
	want := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
	if got := FollowsLocks(); got != want {
		t.Errorf("%s: %v", runtime.GOARCH, got)
	}
}

// TestRandomPrograms runs random programs with locks, once each. What is reported must be a state
// that the program can come to; all its states are tried for that. Where nothing but locks is done
// under locks, package lockorder must have found something, too, and nearly all that it finds must
// be reported: the engine tries fewer ways to come to a state.
func TestRandomPrograms(t *testing.T) {
	if !host.FramePointers {
		t.Skip("locks are not followed on this port")
	}
	defer func(f func(*deadlock.Cycle)) { reportDeadlock = f }(reportDeadlock)
	option.Parse("deadlock=fail")
	defer option.Reset()
	reports, simple, found, missed := 0, 0, 0, 0
	insides, quick = 0, [3]int{}
	seeds := uint64(60000)
	if testing.Short() {
		seeds = 6000
	}
	for seed := range seeds {
		if seed%1000 == 0 { // else there are enough uses at some places
			instance.Deadlocks = deadlock.World{}
		}
		r := rand.New(rand.NewPCG(seed, 7))
		p := randomProgram(r, seed%3 == 0)
		steps, done := p.schedule(r)
		if !done {
			continue // it has come to a deadlock
		}
		cycles := p.watch(steps, seed)
		for i := range cycles {
			reports++
			if !p.canReach(&cycles[i]) {
				t.Fatalf("seed %d: it can't come to %s\n%s", seed, describe(&cycles[i]), p)
			}
		}
		if seed%3 != 0 {
			continue
		}
		simple++
		want := p.offline(steps)
		switch {
		case want && len(cycles) == 0:
			missed++
		case want:
			found++
		case len(cycles) > 0:
			t.Fatalf("seed %d: %d reports, and none of package lockorder\n%s", seed, len(cycles), p)
		}
	}
	t.Logf("%d reports; in %d of %d programs as package lockorder, which finds %d more", reports,
		found, simple, missed)
	t.Logf("%d locks were taken or let go as before, %v at once", insides, quick)
	if insides < int(seeds/20) || min(quick[0], quick[1], quick[2]) < int(seeds/60) {
		t.Errorf("too few locks for a test")
	}
	if reports < int(seeds/600) || found < 20*missed || found < int(seeds/1200) {
		t.Errorf("%d reports, %d found, and %d missed", reports, found, missed)
	}
}

// An op is a step of a thread, of a lock, a thread or a signal.
type op struct {
	what byte // one of lock, read, try, unlock, fork, join, post and wait, by its first letters
	n    int
}

const (
	lockOp   = 'l'
	readOp   = 'r'
	tryOp    = 't'
	unlockOp = 'u'
	forkOp   = 'f'
	joinOp   = 'j'
	postOp   = 'p'
	waitOp   = 'w'
)

// A program is threads; the first one starts the others.
type program struct{ threads [][]op }

const (
	nLocks   = 3
	nSignals = 2
)

func (p *program) String() string {
	var b strings.Builder
	for i, ops := range p.threads {
		fmt.Fprintf(&b, "%d:", i)
		for _, o := range ops {
			fmt.Fprintf(&b, " %c%d", o.what, o.n)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// randomProgram is a program of 3 or 4 threads. In a simple one, locks alone are taken under locks,
// and none for reading.
func randomProgram(r *rand.Rand, simple bool) *program {
	n := 3 + r.IntN(2)
	p := &program{make([][]op, n)}
	for i := 1; i < n; i++ {
		p.threads[i] = randomThread(r, simple)
	}
	// The first thread starts the others, and waits for some, with locks in between.
	var main []op
	for i := 1; i < n; i++ {
		if r.IntN(4) == 0 {
			main = append(main, randomThread(r, true)...)
		}
		main = append(main, op{forkOp, i})
		if r.IntN(6) == 0 {
			main = append(main, op{joinOp, i})
		}
	}
	if !simple && r.IntN(2) == 0 { // start some, and wait for them, while a lock is held
		l := r.IntN(nLocks)
		at := r.IntN(len(main))
		end := at
		for end < len(main) && (main[end].what == forkOp || main[end].what == joinOp) {
			end++
		}
		inside := append(append([]op{{lockOp, l}}, main[at:end]...), op{unlockOp, l})
		main = append(append(main[:at:at], inside...), main[end:]...)
	}
	p.threads[0] = append(main, randomThread(r, simple)...)
	return p
}

func randomThread(r *rand.Rand, simple bool) (list []op) {
	var held []int
	kinds := 10 + 4*r.IntN(3) // some have more signals
	for range 4 + r.IntN(8) {
		if len(held) == 0 && len(list) > 3 && len(list) <= 6 && r.IntN(2) == 0 {
			list = slices.Repeat(list, 3) // as what is done again and again
		}
		switch k := r.IntN(kinds); {
		case k < 5 && len(held) < nLocks:
			l := r.IntN(nLocks)
			for slices.Contains(held, l) {
				l = (l + 1) % nLocks
			}
			what := byte(lockOp)
			if !simple {
				what = []byte{lockOp, lockOp, lockOp, readOp, tryOp}[r.IntN(5)]
			}
			list, held = append(list, op{what, l}), append(held, l)
		case k < 8 && len(held) > 0:
			i := r.IntN(len(held))
			list = append(list, op{unlockOp, held[i]})
			held = append(held[:i], held[i+1:]...)
		case simple:
		case k%2 == 0:
			list = append(list, op{postOp, r.IntN(nSignals)})
		case k > 9 || r.IntN(2) == 0:
			list = append(list, op{waitOp, r.IntN(nSignals)})
		}
	}
	for _, l := range held {
		list = append(list, op{unlockOp, l})
	}
	return list
}

// A state is how far a program has come.
type state struct {
	at      [4]int
	started [4]bool
	mode    [nLocks][4]byte // of each thread: how it holds a lock, 0 if it doesn't
	posted  [nSignals]bool
}

// next is the state after a step of a thread; ok is false if the thread can't go on.
func (p *program) next(s state, i int) (state, bool) {
	if i > 0 && !s.started[i] || s.at[i] == len(p.threads[i]) {
		return s, false
	}
	o := p.threads[i][s.at[i]]
	switch o.what {
	case lockOp, readOp, tryOp:
		if s.taken(o) {
			return s, false
		}
		s.mode[o.n][i] = o.what
	case unlockOp:
		s.mode[o.n][i] = 0
	case forkOp:
		s.started[o.n] = true
	case joinOp:
		if s.at[o.n] < len(p.threads[o.n]) {
			return s, false
		}
	case postOp:
		s.posted[o.n] = true
	case waitOp:
		if !s.posted[o.n] {
			return s, false
		}
	}
	s.at[i]++
	return s, true
}

// taken reports whether a lock can't be taken by o. A try that would fail is not made.
func (s *state) taken(o op) bool {
	for _, m := range s.mode[o.n] {
		if m != 0 && (m != readOp || o.what != readOp) {
			return true
		}
	}
	return false
}

// schedule is the threads of one random run, step by step; done is false if it doesn't come to the
// end of all threads.
func (p *program) schedule(r *rand.Rand) (steps []int, done bool) {
	var s state
	for {
		var can []int
		for i := range p.threads {
			if _, ok := p.next(s, i); ok {
				can = append(can, i)
			}
		}
		if can == nil {
			for i := range p.threads {
				if s.at[i] < len(p.threads[i]) {
					return nil, false
				}
			}
			return steps, true
		}
		i := can[r.IntN(len(can))]
		s, _ = p.next(s, i)
		steps = append(steps, i)
	}
}

// canReach reports whether some run comes to where the sides of a cycle wait for each other. The
// creator of a side is its thread.
func (p *program) canReach(c *deadlock.Cycle) bool {
	seen := make(map[state]bool)
	var visit func(s state) bool
	visit = func(s state) bool {
		if seen[s] {
			return false
		}
		seen[s] = true
		if p.waits(s, c) {
			return true
		}
		for i := range p.threads {
			if next, ok := p.next(s, i); ok && visit(next) {
				return true
			}
		}
		return false
	}
	return visit(state{})
}

// waits reports whether the threads of a cycle wait for each other in a state.
func (p *program) waits(s state, c *deadlock.Cycle) bool {
	for i := range c.N {
		side := &c.Side[i]
		n := int(side.Creator)
		if s.at[n] == len(p.threads[n]) || s.mode[lockNumber(side.Held)][n] == 0 {
			return false
		}
		o := p.threads[n][s.at[n]]
		if o.what != lockOp && o.what != readOp || o.n != lockNumber(side.Wanted) {
			return false
		}
		if m := s.mode[o.n][c.Side[(i+1)%c.N].Creator]; m == 0 || m == readOp && o.what == readOp {
			return false
		}
	}
	return true
}

const firstLock, firstSignal = uintptr(0xc710000000), uintptr(0xc710010000)

func lockAddr(n int) uintptr      { return firstLock + 64*uintptr(n) }
func lockNumber(addr uintptr) int { return int(addr-firstLock) / 64 }

// watch has the engine see a run, and returns what it reports. Each seed has other places.
func (p *program) watch(steps []int, seed uint64) (cycles []deadlock.Cycle) {
	reportDeadlock = func(c *deadlock.Cycle) { cycles = append(cycles, *c) }
	defer func() {
		SetOrderClocks(false)
		Free(firstLock, 1<<17)
	}()
	var place deadlock.Place
	runtime.Callers(1, place.PCs[:1])
	place.PCs[1] = uintptr(seed)
	threads := make([]*Thread, len(p.threads))
	start := func(g *Thread, i int) {
		threads[i] = new(Thread)
		threads[i].Reset()
		if seed%2 == 0 {
			threads[i].locks.others = few // it has a list at once
		}
		g.Fork(threads[i], uint64(i))
		threads[i].Creator = uint64(i)
	}
	start(nil, 0)
	at := make([]int, len(p.threads))
	for _, i := range steps {
		g, o := threads[i], p.threads[i][at[i]]
		addr, signal := lockAddr(o.n), firstSignal+64*uintptr(o.n)
		switch o.what {
		case lockOp, readOp, tryOp:
			take(g, addr, map[byte]deadlock.Mode{readOp: deadlock.Read,
				tryOp: deadlock.Try}[o.what], place)
		case unlockOp:
			let(g, addr, true)
		case forkOp:
			start(g, o.n)
		case joinOp:
			g.Acquire(firstSignal + 0x1000 + 64*uintptr(o.n))
		case postOp:
			g.ReleaseMerge(signal)
		case waitOp:
			g.Acquire(signal)
		}
		if at[i]++; at[i] == len(p.threads[i]) {
			g.ReleaseMerge(firstSignal + 0x1000 + 64*uintptr(i))
		}
	}
	for _, g := range threads {
		g.Finish()
	}
	return cycles
}

// offline reports whether package lockorder finds a cycle in a run.
func (p *program) offline(steps []int) bool {
	c := lockorder.New()
	at := make([]int, len(p.threads))
	for _, i := range steps {
		o := p.threads[i][at[i]]
		at[i]++
		e := event.Event{Thread: uint32(i), Target: uint32(o.n)}
		switch o.what {
		case lockOp:
			e.Op = event.Acquire
		case unlockOp:
			e.Op = event.Release
		case forkOp:
			e.Op = event.Fork
		case joinOp:
			e.Op = event.Join
		}
		c.Event(&e)
	}
	cycles, _ := c.Finish()
	return len(cycles) > 0
}

func describe(c *deadlock.Cycle) string {
	var b strings.Builder
	for i := range c.N {
		s := &c.Side[i]
		fmt.Fprintf(&b, " thread %d holds %d and wants %d;", s.Creator, lockNumber(s.Held),
			lockNumber(s.Wanted))
	}
	return b.String()
}
