// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/engine/vclock"
)

// predictor has the ghosts of all tests.
var predictor Predictor

// A script is random events, as they are made up told to the code under test.
type script struct {
	r        *rand.Rand
	sections bool
	trace    []event
	threads  []*actor
	locks    [nLocks]lockUse
	given    [nObjects]int // gives so far
	last     [nVars]int    // the event that wrote, and 1
	writes   uint64
	version  [nVars]uint64
}

type lockUse struct {
	writer  int // and 1
	readers []int
}

type actor struct {
	Thread
	id       int
	time     uint64
	in       int // number of its transaction, 0 for none
	straight bool
	own      []access
	held     []int // locks, those for reading + nLocks
}

type access struct {
	v     int
	write bool
	epoch vclock.Epoch
	site  uint32
}

const (
	nLocks   = 3
	nObjects = 2
	nVars    = 3
)

func (a *actor) now() vclock.Epoch { return vclock.Epoch(a.id+1)<<40 | vclock.Epoch(a.time) }

var epochs uint64 = 1

// step moves a to a new epoch.
func (a *actor) step() vclock.Epoch {
	epochs++
	a.time = epochs
	return a.now()
}

func addrOf(v int) uintptr    { return 0x10000 + uintptr(v)*8 }
func lockOf(l int) uintptr    { return 0x20000 + uintptr(l)*8 }
func objectAt(o int) uintptr  { return 0x30000 + uintptr(o)*8 }
func (s *script) add(e event) { s.trace = append(s.trace, e) }

var transactions int

// do has a thread make a random event that it can make now; it reports whether there was one.
func (s *script) do(a *actor) bool {
	e := event{thread: a.id, t: a.in, straight: a.straight, rf: -1}
	site := uint32(len(s.trace))
	k := s.r.IntN(20)
	if s.sections { // as programs are: a transaction takes a lock, makes an access or two, and lets it go
		switch {
		case a.in == 0 && s.r.IntN(2) == 0:
			k = 18
		case len(a.held) == 0 && s.r.IntN(2) == 0:
			k = 9
		case len(a.held) > 0 && s.r.IntN(2) == 0:
			k = []int{0, 13}[s.r.IntN(2)]
		}
	}
	switch {
	case k < 9:
		e.op, e.arg = read, s.r.IntN(nVars)
		if s.r.IntN(2) == 0 {
			e.op = write
		}
		s.access(a, &e, site)
	case k < 13:
		return s.lock(a, e)
	case k < 16:
		return s.unlock(a, e)
	case k == 16:
		e.arg = s.r.IntN(nObjects)
		a.step()
		if s.r.IntN(2) == 0 {
			e.op = give
			predictor.Release(&a.Thread, objectAt(e.arg))
			s.given[e.arg]++
		} else {
			e.op, e.gives = take, s.given[e.arg]
			predictor.Acquire(&a.Thread, objectAt(e.arg), a.now())
		}
	case k == 17 && len(s.threads) < 4:
		e.op, e.arg = fork, len(s.threads)
		a.step()
		child := &actor{id: len(s.threads)}
		child.step()
		predictor.Fork(&a.Thread, &child.Thread, child.now())
		s.threads = append(s.threads, child)
	case k == 18 && s.r.IntN(4) == 0:
		e.op, e.arg = fail, s.r.IntN(nLocks)
		if w := s.locks[e.arg].writer; w == 0 || w == a.id+1 {
			return false
		}
		predictor.UnknownEvent(&a.Thread, a.step())
	case a.in == 0 && k >= 18:
		transactions++
		a.in, a.straight = transactions, s.r.IntN(3) == 0
		a.own = nil
		a.Begin(1, a.straight, a.step())
		return true
	case a.in != 0 && k == 19 && s.r.IntN(3) == 0:
		a.in, a.straight = 0, false
		predictor.End(&a.Thread)
		a.step()
		return true
	default:
		return false
	}
	s.add(e)
	return true
}

func (s *script) lock(a *actor, e event) bool {
	e.op, e.arg = lock, s.r.IntN(nLocks)
	l := &s.locks[e.arg]
	if len(a.held) == maxHeld || l.writer != 0 {
		return false
	}
	if s.r.IntN(3) == 0 {
		e.op = rlock
		l.readers = append(l.readers, a.id)
		a.held = append(a.held, e.arg+nLocks)
	} else {
		if len(l.readers) > 0 {
			return false
		}
		l.writer = a.id + 1
		a.held = append(a.held, e.arg)
	}
	if predictor.Lock(&a.Thread, lockOf(e.arg), e.op == rlock, a.step()) {
		predictor.BeginSection(&a.Thread, a.step())
	}
	s.add(e)
	return true
}

func (s *script) unlock(a *actor, e event) bool {
	if s.r.IntN(30) == 0 { // a lock that another has taken
		e.op, e.arg = unlock, s.r.IntN(nLocks)
		l := &s.locks[e.arg]
		if l.writer == 0 || l.writer == a.id+1 {
			return false
		}
		other := s.threads[l.writer-1]
		for i, h := range other.held {
			if h == e.arg {
				other.held = append(other.held[:i], other.held[i+1:]...)
				break
			}
		}
		l.writer = 0
		predictor.Unlock(&a.Thread, lockOf(e.arg), false, true, a.step())
		s.add(e)
		return true
	}
	if len(a.held) == 0 {
		return false
	}
	i := s.r.IntN(len(a.held))
	h := a.held[i]
	a.held = append(a.held[:i:i], a.held[i+1:]...)
	e.op, e.arg = unlock, h%nLocks
	if h >= nLocks {
		e.op = runlock
		rs := s.locks[e.arg].readers
		for j := range rs {
			if rs[j] == a.id {
				s.locks[e.arg].readers = append(rs[:j:j], rs[j+1:]...)
				break
			}
		}
	} else {
		s.locks[e.arg].writer = 0
	}
	predictor.Unlock(&a.Thread, lockOf(e.arg), e.op == runlock, s.r.IntN(10) > 0, a.step())
	s.add(e)
	return true
}

// access does what package datarace does at an access.
func (s *script) access(a *actor, e *event, site uint32) {
	now, v, wr := a.step(), e.arg, e.op == write
	me := Access{Epoch: now, Goid: uint64(a.id), Site: site, PC: uintptr(site), Writes: wr}
	if predictor.Tracked(addrOf(v)) {
		if wr {
			predictor.Overwrites(&a.Thread, addrOf(v))
		}
		predictor.Access(&a.Thread, addrOf(v), 0xff, me)
	}
	if !wr {
		e.rf = s.last[v] - 1
		if e.rf >= 0 && s.trace[e.rf].thread != a.id {
			predictor.ReadsFrom(&a.Thread, s.trace[e.rf].epoch, now)
		}
	}
	e.epoch = now
	if begin, since, ok := a.Eligible(); ok {
		var first Access
		again := false
		for _, o := range a.own {
			switch {
			case o.v != v || o.epoch < begin:
			case o.epoch >= since:
				again = true
			case first.Epoch == 0 || o.write && !first.Writes:
				first = Access{Epoch: o.epoch, Goid: uint64(a.id), Site: o.site, PC: uintptr(o.site), Writes: o.write}
			}
		}
		if first.Epoch != 0 && !again {
			predictor.Pair(&a.Thread, addrOf(v), 0xff, first, me)
		}
		if !wr {
			predictor.ReadInSection(&a.Thread, addrOf(v), s.version[v])
		}
	}
	if wr {
		predictor.WroteInSection(&a.Thread)
	}
	a.own = append(a.own, access{v, wr, now, site})
	if wr {
		s.writes++
		s.version[v], s.last[v] = s.writes, int(site)+1
	}
}

func newScript(seed uint64) *script {
	s := &script{r: rand.New(rand.NewPCG(seed, 1))}
	predictor.Last = func(addr uintptr) uint64 { return s.version[(addr-0x10000)/8] }
	s.sections = s.r.IntN(4) > 0
	for id := range 2 + s.r.IntN(2) {
		a := &actor{id: id}
		predictor.Fork(&a.Thread, &a.Thread, a.step())
		s.threads = append(s.threads, a)
	}
	return s
}

// finish ends what is left of a script, so that the next one begins with nothing.
func (s *script) finish() {
	for _, a := range s.threads {
		predictor.End(&a.Thread)
	}
	if r := predictor.registry.Load(); r != nil {
		for {
			if _, ok := predictor.Collect(); !ok {
				break
			}
		}
		r.lock.Lock()
		r.dropAll()
		for i := range r.kinds {
			r.kinds[i].n = 0
		}
		r.lock.Unlock()
		if r.busy.Load() != 0 {
			panic("ghosts or segments are left")
		}
	}
}

// run makes a script of random events and calls predicted for each prediction.
func run(seed uint64, predicted func(s *script, p Prediction)) *script {
	s := newScript(seed)
	steps := 12 + s.r.IntN(22)
	for range steps * 3 {
		if len(s.trace) == steps {
			break
		}
		s.do(s.threads[s.r.IntN(len(s.threads))])
		for {
			p, ok := predictor.Collect()
			if !ok {
				break
			}
			predicted(s, p)
		}
	}
	return s
}

func TestPredictionsAreFeasible(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 10_000
	}
	predicted, renewed, intrudes, sites := 0, 0, 0, 0
	for seed := range uint64(n) {
		s := run(seed, func(s *script, p Prediction) {
			predicted++
			if p.ValuesDiffer {
				renewed++
			}
			if p.OtherReads {
				intrudes++
			}
			if !feasible(s.trace, int(p.First.Site), int(p.Other.Site), int(p.Second.Site), p.OtherReads) {
				t.Fatalf("seed %d: no interleaving has %d < %d < %d (renewed %v)\n%v", seed, p.First.Site, p.Other.Site, p.Second.Site, p.ValuesDiffer, show(s.trace))
			}
		})
		sites += len(s.trace)
		s.finish()
	}
	t.Logf("%d predictions in %d traces of %d events, %d renewed, %d intrude", predicted, n, sites/n, renewed, intrudes)
	if predicted < n/500 || renewed == 0 || intrudes == 0 {
		t.Errorf("only %d predictions, %d of them renewed, %d intruding", predicted, renewed, intrudes)
	}
}

// What is not predicted: of the variables that a transaction accesses twice, and for which there is an interleaving with
// another's access in between, though not in the trace.
func TestPredictionsAreMany(t *testing.T) {
	type what = struct{ t, v int }
	possible, got := 0, 0
	for seed := range uint64(20_000) {
		predicted := make(map[what]bool)
		s := run(seed, func(s *script, p Prediction) {
			predicted[what{s.trace[p.Second.Site].t, s.trace[p.Second.Site].arg}] = true
		})
		for w := range s.interferable() {
			possible++
			if predicted[w] {
				got++
			}
		}
		s.finish()
	}
	t.Logf("%d of %d that are possible are predicted", got, possible)
	if got*3 < possible {
		t.Errorf("only %d of %d are predicted", got, possible)
	}
}

// interferable is the transactions and variables for which there is an interleaving, by the oracle, if the second access is in a
// critical section that the thread began, having no lock, after the first.
func (s *script) interferable() map[struct{ t, v int }]bool {
	found := make(map[struct{ t, v int }]bool)
	held, cut := make(map[int]int), make(map[int]int)
	for second, e := range s.trace {
		switch e.op {
		case lock, rlock:
			if held[e.thread]++; held[e.thread] == 1 {
				cut[e.thread] = second
			}
		case unlock, runlock:
			held[e.thread]--
		}
		w := struct{ t, v int }{e.t, e.arg}
		if e.op > write || e.t == 0 || found[w] || held[e.thread] <= 0 {
			continue
		}
		for first, f := range s.trace[:cut[e.thread]] {
			if f.t != e.t || f.op > write || f.arg != e.arg || f.op == read && e.op == read {
				continue
			}
			for other := second + 1; other < len(s.trace) && !found[w]; other++ {
				o := s.trace[other]
				if o.thread != e.thread && o.op <= write && o.arg == e.arg && (o.op == write || f.op == write && e.op == write) {
					found[w] = feasible(s.trace, first, other, second, o.op == read)
				}
			}
		}
	}
	return found
}
