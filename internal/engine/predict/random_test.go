// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"math/rand/v2"

	"github.com/commutego/commute/internal/engine/vclock"
)

// testPredictor is the predictor of all tests that need only one.
var testPredictor Predictor

// A script is random events, which are reported to the predictor as they are made up.
type script struct {
	predictor *Predictor

	r        *rand.Rand
	sections bool
	trace    []event
	threads  []*actor
	locks    [nLocks]lockUse
	released [nObjects]int // releases so far
	last     [nVars]int    // the event that wrote, and 1
	writes   uint64
	version  [nVars]uint64
	length   int // events
	attempts int // to make one, that are left

	displaces bool // half of the reads are known by Displace only
}

type lockUse struct {
	writer  int // and 1
	readers []int
}

type actor struct {
	Thread
	id          int
	time        uint64
	in          int // number of its transaction, 0 for none
	independent bool
	own         []access
	held        []int // locks, those for reading + nLocks
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

// do makes a random event of thread a that is possible now, if there is one. It reports whether
// there was.
func (s *script) do(a *actor) bool {
	e := event{thread: a.id, t: a.in, independent: a.independent, rf: -1}
	site := uint32(len(s.trace))
	k := s.r.IntN(20)
	if s.sections { // as in programs: a transaction locks, makes an access or two, and unlocks
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
			e.op = release
			s.predictor.Release(&a.Thread, objectAt(e.arg))
			s.released[e.arg]++
		} else {
			e.op, e.releases = acquire, s.released[e.arg]
			s.predictor.Acquire(&a.Thread, objectAt(e.arg), a.now())
		}
	case k == 17 && len(s.threads) < 4:
		e.op, e.arg = fork, len(s.threads)
		a.step()
		child := &actor{id: len(s.threads)}
		child.step()
		s.predictor.Fork(&a.Thread, &child.Thread, child.now())
		s.threads = append(s.threads, child)
	case k == 18 && s.r.IntN(4) == 0:
		e.op, e.arg = fail, s.r.IntN(nLocks)
		if w := s.locks[e.arg].writer; w == 0 || w == a.id+1 {
			return false
		}
		s.predictor.UnknownEvent(&a.Thread, a.step())
	case a.in == 0 && k >= 18:
		transactions++
		a.in, a.independent = transactions, s.r.IntN(3) == 0
		a.own = nil
		a.Begin(1, a.independent, a.step())
		return true
	case a.in != 0 && k == 19 && s.r.IntN(3) == 0:
		a.in, a.independent = 0, false
		s.predictor.End(&a.Thread)
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
	if s.predictor.Lock(&a.Thread, lockOf(e.arg), e.op == rlock, a.step()) {
		s.predictor.BeginSection(&a.Thread, a.step())
	}
	s.add(e)
	return true
}

func (s *script) unlock(a *actor, e event) bool {
	if s.r.IntN(30) == 0 { // a lock that another thread holds
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
		s.predictor.Unlock(&a.Thread, lockOf(e.arg), false, true, a.step())
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
	s.predictor.Unlock(&a.Thread, lockOf(e.arg), e.op == runlock, s.r.IntN(10) > 0, a.step())
	s.add(e)
	return true
}

// access makes the calls that package datarace makes at an access.
func (s *script) access(a *actor, e *event, site uint32) {
	now, v, wr := a.step(), e.arg, e.op == write
	me := Access{Epoch: now, Goid: uint64(a.id), Site: site, PC: uintptr(site), Writes: wr}
	if s.predictor.Tracked(addrOf(v)) {
		if wr {
			s.predictor.Overwrites(&a.Thread, addrOf(v))
		}
		s.predictor.Access(&a.Thread, addrOf(v), 0xff, me)
	}
	if !wr {
		e.rf = s.last[v] - 1
		if e.rf >= 0 && s.trace[e.rf].thread != a.id {
			s.predictor.ReadsFrom(&a.Thread, s.trace[e.rf].epoch, now)
		}
	}
	e.epoch, e.site = now, site
	if s.predictor.Open() {
		for _, o := range s.trace {
			if o.op > write || o.arg != v || o.thread == a.id || !s.predictor.MayEnter(o.epoch) {
				continue
			}
			switch {
			case wr && o.op == read && s.displaces && site%2 == 0: // it is displaced, or not known any more
			case wr || o.op == write:
				s.predictor.Enter(&a.Thread, addrOf(v), o.epoch, o.access(), me)
			default:
				s.predictor.Displace(addrOf(v), 0xff, 0, o.access())
			}
		}
		if wr && s.predictor.Tracked(addrOf(v)) {
			s.predictor.EnterDisplaced(&a.Thread, addrOf(v), 0xff, 0, me)
		}
	}
	if begin, since, ok := a.Eligible(); ok {
		var first Access
		again, wrote := false, false
		for _, o := range a.own {
			switch {
			case o.v != v || o.epoch < begin:
			case o.epoch >= since:
				again, wrote = true, wrote || o.write
			case first.Epoch == 0 || o.write && !first.Writes:
				first = Access{Epoch: o.epoch, Goid: uint64(a.id), Site: o.site,
					PC: uintptr(o.site), Writes: o.write}
			}
		}
		switch {
		case first.Epoch != 0 && !again:
			s.predictor.Pair(&a.Thread, addrOf(v), 0xff, first, me)
		case first.Epoch == 0 && (!again || wr && !wrote):
			s.predictor.Pair(&a.Thread, addrOf(v), 0xff, Access{Goid: me.Goid}, me)
		}
		if !wr {
			s.predictor.ReadInSection(&a.Thread, addrOf(v), s.version[v])
		}
	}
	if wr {
		s.predictor.WroteInSection(&a.Thread)
	}
	a.own = append(a.own, access{v, wr, now, site})
	if wr {
		s.writes++
		s.version[v], s.last[v] = s.writes, int(site)+1
	}
}

func newScript(seed uint64, p *Predictor) *script {
	s := &script{predictor: p, r: rand.New(rand.NewPCG(seed, 1))}
	s.predictor.Last = func(addr uintptr) uint64 { return s.version[(addr-0x10000)/8] }
	s.sections = s.r.IntN(4) > 0
	for id := range 2 + s.r.IntN(2) {
		a := &actor{id: id}
		s.predictor.Fork(&a.Thread, &a.Thread, a.step())
		s.threads = append(s.threads, a)
	}
	return s
}

// finish ends what is left of a script, so that the next one with the same predictor begins with
// nothing.
func (s *script) finish() {
	for _, a := range s.threads {
		s.predictor.End(&a.Thread)
	}
	if r := s.predictor.registry.Load(); r != nil {
		for {
			if _, ok := s.predictor.Collect(); !ok {
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
			panic("candidates or sections are left")
		}
	}
}

// run makes a script of random events and calls predicted for each prediction.
func run(seed uint64, predicted func(s *script, p Prediction)) *script {
	s := newScript(seed, &testPredictor)
	s.start()
	for s.step(predicted) {
	}
	return s
}

// start chooses the length of the script.
func (s *script) start() {
	s.length = 12 + s.r.IntN(22)
	s.attempts = s.length * 3
	s.displaces = true
}

// step attempts one event, and calls predicted for each prediction. It reports whether the script
// goes on.
func (s *script) step(predicted func(s *script, p Prediction)) bool {
	if s.attempts == 0 || len(s.trace) == s.length {
		return false
	}
	s.attempts--
	s.do(s.threads[s.r.IntN(len(s.threads))])
	for {
		p, ok := s.predictor.Collect()
		if !ok {
			return true
		}
		predicted(s, p)
	}
}
