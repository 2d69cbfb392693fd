// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"strconv"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// A thread is one that runs.
type thread struct {
	id     uint32
	at     int    // the next action
	about  bool   // it has come to the point
	seen   uint64 // a hash of all that it has learned
	read   uint64
	failed bool // the last attempt to take a lock
	given  bool // another thread has made the operation on the channel
	over   bool
}

// A channel is one of a program.
type channel struct {
	room      int
	full      []uint64
	sending   []int // threads that wait
	receiving []int
}

// An execution is a run of a program.
type execution struct {
	program
	c        *engine.Control
	threads  []*thread
	owners   [2]int // of locks, -1 for none
	locked   [2]uint64
	waiting  [2][]int
	words    [3]uint64
	channels [2]channel
	left     int // of the WaitGroup
	waiters  []int
	calls    uint64
	holder   int
}

const (
	wordAt    = 4096 // addresses
	lockAt    = 8192
	channelAt = 12288
	groupAt   = 16384
)

// execute runs a program by a spec. It returns what is told of the run, and what each thread has
// learned.
func (p program) execute(c *engine.Control, spec string) (r run, outcome string) {
	r, words, outcome := p.told(c, spec)
	r.steps = parseSteps(words)
	return r, outcome
}

// told is execute, with the steps as the program tells them.
func (p program) told(c *engine.Control, spec string) (r run, words []string, outcome string) {
	s, ok := engine.ParseSpec(spec)
	if !ok {
		panic(spec)
	}
	e := execution{program: p, c: c, owners: [2]int{-1, -1}, left: len(p.threads) - 1}
	for range p.threads {
		e.threads = append(e.threads, new(thread))
	}
	for i := range e.channels {
		e.channels[i].room = p.room[i]
	}
	e.threads[0].id = c.New(1, 0)
	c.Begin(s, e.threads[0].id)
	for e.holder = 0; e.holder >= 0 && !e.threads[0].over; {
		e.act(e.holder)
	}
	result, _ := c.Done()
	r = run{ended: true, hash: strconv.FormatUint(result.Hash, 16),
		prefix: strconv.FormatUint(result.Prefix, 16), points: int(result.Points),
		decisions: int(result.Decisions), forced: int(result.Forced), random: int(result.Random)}
	for i := range c.Choices() {
		r.choices = append(r.choices, toldChoice(c.Choice(i)))
	}
	words = deeds(&c.Steps)
	for c.Choose(0) != 0 { // so that another run can be made
	}
	for _, t := range e.threads {
		outcome += fmt.Sprintf("%x %v, ", t.seen, t.over)
		if t.id != 0 && !t.over {
			c.End(t.id)
		}
	}
	return r, words, outcome
}

// deeds are those of a run, as the program's runtime tells them.
func deeds(s *engine.Steps) (words []string) {
	for i := range s.Len() {
		switch d := s.At(i); d.Did {
		case engine.Makes:
			words = append(words, fmt.Sprintf("m%d.%x", d.ID, d.Value))
		case engine.Comes:
			hot := 0
			if d.Hot {
				hot = 1
			}
			words = append(words, fmt.Sprintf("p%d.%d.%d.%d", d.ID, d.Kind, hot, d.Value))
		case engine.Waits:
			words = append(words, fmt.Sprintf("w%d", d.Value))
		default:
			words = append(words, fmt.Sprintf("%c%d", " rcv  g"[d.Did], d.ID))
		}
	}
	return words
}

// learn has a thread learn something.
func (t *thread) learn(v uint64) {
	t.read = v
	t.seen = engine.Mix(t.seen ^ v ^ uint64(t.at)<<32)
}

func (e *execution) ready(list ...int) {
	for _, i := range list {
		e.c.Ready(e.threads[i].id)
	}
}

// waits has the holder wait.
func (e *execution) waits() { e.goOn(e.c.Choose(0)) }

func (e *execution) goOn(id uint32) {
	e.holder = -1
	for i, t := range e.threads {
		if id != 0 && t.id == id && !t.over {
			e.holder = i
		}
	}
}

// point has the holder come to a point.
func (e *execution) point(addr int, k engine.Kind) {
	t := e.threads[e.holder]
	pc := 0
	if addr != 0 {
		pc = 100*e.holder + t.at
	}
	e.c.Operate(t.id, uintptr(addr), k, uintptr(pc))
	id := e.c.Choose(t.id)
	if id != t.id {
		e.ready(e.holder)
	}
	e.goOn(id)
}

func (e *execution) use(addr int, changes bool) { e.c.Steps.Use(uintptr(addr), changes) }

// pointOf is where an action has a point, if it does.
func (e *execution) pointOf(a action) (addr int, k engine.Kind, ok bool) {
	switch a.what {
	case takeLock, tryLock:
		return lockAt + a.at, engine.Lock, true
	case load:
		return wordAt + a.at, engine.Load, true
	case store, add:
		return wordAt + a.at, engine.Atomic, true
	case sends:
		return channelAt + a.at, engine.Send, true
	case receives:
		return channelAt + a.at, engine.Recv, true
	case poll:
		return channelAt + a.at, engine.Select, true
	case waitAll:
		return groupAt, engine.Wait, true
	}
	return 0, 0, false
}

// act makes the next action of a thread.
func (e *execution) act(i int) {
	t := e.threads[i]
	if t.at == len(e.program.threads[i]) {
		t.over = true
		e.c.End(t.id)
		if i > 0 {
			e.waits()
		}
		return
	}
	a := e.program.threads[i][t.at]
	if addr, k, ok := e.pointOf(a); ok && !t.about {
		t.about = true
		e.point(addr, k)
		return
	}
	switch a.what {
	case takeLock, tryLock, letLock:
		e.lock(i, t, a)
		return
	case sends, receives, poll, size:
		e.channel(i, t, a)
		return
	case waitAll:
		e.use(groupAt, true)
		if e.left > 0 && !t.given {
			t.given = true
			e.waiters = append(e.waiters, i)
			e.waits()
			return
		}
	case done:
		e.use(groupAt, true)
		if e.left--; e.left == 0 {
			e.ready(e.waiters...)
		}
	case start:
		t.about, t.at = false, t.at+1
		e.threads[a.at].id = e.c.New(uintptr(a.at+1), t.id)
		e.ready(a.at)
		e.point(0, engine.Go)
		return
	case yield:
		t.about, t.at = false, t.at+1
		e.ready(i)
		e.waits()
		return
	case odd:
		if t.read%2 == 1 && t.at+1 < len(e.program.threads[i])-1 &&
			e.program.threads[i][t.at+1].what.skips() {
			t.at++
		}
	case draws:
		t.learn(e.c.Random())
	case calls:
		e.use(int(engine.Outside), true)
		e.calls++
		t.learn(e.calls)
	case hidden:
		e.use(wordAt+2, true)
		t.learn(e.words[2])
		e.words[2] = t.seen
	default:
		e.word(t, a)
	}
	t.about, t.given, t.at = false, false, t.at+1
}

// skips reports whether an action of a kind may be left out.
func (k actionKind) skips() bool {
	switch k {
	case takeLock, tryLock, letLock, start, done, waitAll:
		return false
	}
	return true
}

func (e *execution) word(t *thread, a action) {
	e.use(wordAt+a.at, a.what != load)
	if a.what != store {
		t.learn(e.words[a.at])
	}
	if a.what != load {
		e.words[a.at] = engine.Mix(t.seen + uint64(t.at))
	}
}

// lock makes an operation on a lock. Who has waited for it has to try again.
func (e *execution) lock(i int, t *thread, a action) {
	e.use(lockAt+a.at, true)
	switch {
	case a.what == letLock && !t.failed:
		e.owners[a.at] = -1
		e.locked[a.at] = t.seen
		if w := e.waiting[a.at]; len(w) > 0 {
			e.waiting[a.at] = w[1:]
			e.ready(w[0])
		}
	case a.what == letLock:
		t.failed = false
	case e.owners[a.at] < 0:
		e.owners[a.at] = i
		t.learn(e.locked[a.at])
	case a.what == tryLock:
		t.failed = true
		t.learn(1)
	default:
		e.waiting[a.at] = append(e.waiting[a.at], i)
		e.waits()
		return
	}
	t.about, t.at = false, t.at+1
}

// channel makes an operation on a channel.
func (e *execution) channel(i int, t *thread, a action) {
	c := &e.channels[a.at]
	if a.what == size {
		t.learn(uint64(len(c.full)))
		t.at++
		return
	}
	if !t.given {
		e.use(channelAt+a.at, true)
		if c.room > 0 {
			e.use(int(engine.All), true)
		}
		if !c.operate(e, i, t, a.what) {
			e.waits()
			return
		}
	}
	t.given, t.about, t.at = false, false, t.at+1
}

// operate reports whether an operation was made, and whether the thread waits otherwise.
func (c *channel) operate(e *execution, i int, t *thread, k actionKind) bool {
	switch {
	case k == sends && len(c.receiving) > 0:
		u := c.receiving[0]
		c.receiving = c.receiving[1:]
		e.threads[u].learn(t.seen)
		e.threads[u].given = true
		e.ready(u)
	case k == sends && len(c.full) < c.room:
		c.full = append(c.full, t.seen)
	case k == sends:
		c.sending = append(c.sending, i)
		return false
	case len(c.full) > 0 || len(c.sending) > 0:
		if len(c.sending) > 0 {
			u := c.sending[0]
			c.sending = c.sending[1:]
			c.full = append(c.full, e.threads[u].seen)
			e.threads[u].given = true
			e.ready(u)
		}
		t.learn(c.full[0])
		c.full = c.full[1:]
	case k == poll:
		t.learn(2)
	default:
		c.receiving = append(c.receiving, i)
		return false
	}
	return true
}
