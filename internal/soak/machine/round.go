// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"fmt"
	"hash/fnv"
	"runtime"
	"sync"
	"time"

	"github.com/commutego/commute/internal/soak/plan"
)

// A Round executes a plan.
type Round struct {
	p      *plan.Plan
	sites  *Sites
	of     [][]int // by goroutine: its operations
	vars   []variable
	links  []link
	locks  []sync.RWMutex
	plain  []sync.Mutex // locks that are not RW, and those of transactions
	counts []int64      // of transactions, by lock
	gaps   [][3]notice  // of transactions, by lock
	starts []starter    // by goroutine
	values []int        // by operation: what was read
	// by goroutine: what it does, if that is not to do its operations one by one
	bodies []Body
	turn   int      // the operation that is next, if the plan is forced; no detector sees it
	ended  []notice // by goroutine
	again  bool     // sites, and globals, have been used before
	joined bool     // the end of each goroutine is waited for by a WaitGroup
	all    sync.WaitGroup
}

// run executes a plan and returns a line that says what was read. With again, its sites may have
// been used before.
func run(p *plan.Plan, sites *Sites, again bool) string {
	r := &Round{
		p: p, sites: sites, again: again, of: make([][]int, len(p.Goroutines)),
		locks: make([]sync.RWMutex, len(p.Locks)), plain: make([]sync.Mutex, len(p.Locks)),
		counts: make([]int64, len(p.Locks)), gaps: make([][3]notice, len(p.Locks)),
		starts: make([]starter, len(p.Goroutines)), values: make([]int, len(p.Ops)),
		ended: make([]notice, len(p.Goroutines)), joined: p.Seed%2 == 0,
	}
	for i := range p.Ops {
		r.of[p.Ops[i].G] = append(r.of[p.Ops[i].G], i)
	}
	if body := sites.Bodies[p.Seed]; body != nil {
		r.bodies = body(r)
	} else {
		r.variables()
	}
	r.prepare()
	r.goroutine(0)
	r.join()
	return line(p, r.values)
}

// prepare makes links, and what starts goroutines.
func (r *Round) prepare() {
	signals := make([]int, len(r.p.Links))
	waits := make([]int, len(r.p.Links))
	for i := range r.p.Ops {
		switch o := &r.p.Ops[i]; o.Action {
		case plan.Signal:
			signals[o.Link]++
		case plan.Wait:
			waits[o.Link]++
		}
	}
	for l := range r.p.Links {
		r.links = append(r.links, link{})
		if signals[l] > 0 {
			of := r.p.Links[l]
			r.links[l] = makers[of.Kind](use{signals[l], waits[l], of.Room})
		}
	}
	for i := range r.p.Ops {
		if o := &r.p.Ops[i]; o.Action == plan.Fork {
			r.starts[o.Child] = r.starter(o.Child)
		}
	}
}

// goroutine does all operations of a goroutine that is no iterator.
func (r *Round) goroutine(g int) {
	if r.bodies != nil {
		r.bodies[g](nil)
	} else {
		for _, i := range r.of[g] {
			r.Do(i)
		}
	}
	r.finish(g)
}

// finish ends what a goroutine has begun.
func (r *Round) finish(g int) {
	for _, i := range r.of[g] {
		if o := &r.p.Ops[i]; o.Action == plan.Fork && r.starts[o.Child].finish != nil {
			if r.p.Goroutines[g].Start.Collected() {
				go r.starts[o.Child].finish()
			} else {
				r.starts[o.Child].finish()
			}
		}
	}
	if g != 0 && r.joined {
		r.all.Done()
	}
	r.ended[g].raise()
}

// join waits until all goroutines have ended. It waits by notices, so that their ends order
// nothing.
func (r *Round) join() {
	if r.joined {
		r.all.Wait()
	}
	for i := range r.p.Ops {
		if o := &r.p.Ops[i]; o.Action == plan.Fork && r.p.Goroutines[o.Child].Start != plan.Pull {
			r.ended[o.Child].await()
		}
	}
	for _, l := range r.links {
		if l.end != nil {
			l.end()
		}
	}
}

// Begin comes before an operation. It is not to be part of a function that is watched, as none is
// here.
//
//go:noinline
func (r *Round) Begin(i int) {
	if r.p.Forced {
		wait(func() bool { return r.turn >= i })
	} else if (uint64(i)*0x9E3779B97F4A7C15^r.p.Seed)%7 == 0 {
		runtime.Gosched()
	}
}

// End comes after an operation that no other goroutine waits for while it goes on.
//
//go:noinline
func (r *Round) End(i int) {
	if r.p.Forced {
		r.turn = i + 1
	}
}

// Got is End for a read, and notes the value.
//
//go:noinline
func (r *Round) Got(i, v int) {
	r.values[i] = v
	r.End(i)
}

// Do executes an operation.
func (r *Round) Do(i int) {
	o := &r.p.Ops[i]
	r.Begin(i)
	defer r.turned(o, i)
	switch o.Action {
	case plan.Read:
		r.values[i] = r.read(o)
	case plan.Write:
		r.write(o)
	case plan.Signal:
		r.early(r.p.Links[o.Link].Kind.Meets(), i)
		r.links[o.Link].signal()
	case plan.Wait:
		r.links[o.Link].wait()
	case plan.Fork:
		if r.joined && r.p.Goroutines[o.Child].Start != plan.Pull {
			r.all.Add(1)
		}
		r.starts[o.Child].start()
	case plan.Next:
		r.early(true, i)
		r.starts[o.Child].next()
	case plan.Enter, plan.Leave:
		r.section(o)
	default:
		r.early(o.Action == plan.Split, i)
		r.transaction(o)
	}
}

// early lets the next operation go on before this one is done, because it is waited for.
func (r *Round) early(meets bool, i int) {
	if r.p.Forced && meets {
		r.turn = i + 1
	}
}

// turned lets the next operation go on, if it wasn't let already.
func (r *Round) turned(o *plan.Op, i int) {
	switch o.Action {
	case plan.Next, plan.Split:
		return
	case plan.Signal:
		if r.p.Links[o.Link].Kind.Meets() {
			return
		}
	}
	r.End(i)
}

func (r *Round) read(o *plan.Op) int {
	v := r.vars[o.Var]
	if v.m != nil {
		return r.sites.Calls[o.Site].Load(v.m, v.key)
	}
	return r.sites.Memory[r.p.Vars[o.Var].Type][o.Site].Read(v.at)
}

func (r *Round) write(o *plan.Op) {
	v := r.vars[o.Var]
	if v.m != nil {
		r.sites.Calls[o.Site].Store(v.m, v.key, o.Value)
		return
	}
	r.sites.Memory[r.p.Vars[o.Var].Type][o.Site].Write(v.at, o.Value)
}

// section takes a lock or releases it.
func (r *Round) section(o *plan.Op) {
	rw, plain := &r.locks[o.Lock], &r.plain[o.Lock]
	switch {
	case !r.p.Locks[o.Lock].RW && o.Action == plan.Enter:
		plain.Lock()
	case !r.p.Locks[o.Lock].RW:
		plain.Unlock()
	case o.Shared && o.Action == plan.Enter:
		rw.RLock()
	case o.Shared:
		rw.RUnlock()
	case o.Action == plan.Enter:
		rw.Lock()
	default:
		rw.Unlock()
	}
}

func (r *Round) transaction(o *plan.Op) {
	site, mu, p, gaps := &r.sites.Txns[o.Site], &r.plain[o.Lock], &r.counts[o.Lock], &r.gaps[o.Lock]
	switch o.Action {
	case plan.Whole:
		site.Whole(mu, p)
	case plan.Split:
		site.Split(mu, p, func() { gaps[0].raise(); gaps[1].await() })
		gaps[2].raise()
	case plan.Meddle:
		gaps[0].await()
		site.Meddle(mu, p)
		gaps[1].raise()
		gaps[2].await() // a goroutine that has ended may be forgotten
	}
}

// line says what was read where that does not depend on the schedule, and how often what was wrong.
func line(p *plan.Plan, read []int) string {
	h, wrong := fnv.New64a(), 0
	for i, want := range p.Values() {
		if want < 0 {
			continue
		}
		fmt.Fprintln(h, i, read[i])
		if read[i] != want {
			wrong++
		}
	}
	return fmt.Sprintf("round %d: %x, %d wrong", p.Seed, h.Sum64(), wrong)
}

// Line is what the machine prints of a round if all is right.
func Line(p *plan.Plan) string { return line(p, p.Values()) }

// A notice is raised and seen without any synchronization, so that it orders nothing.
type notice struct{ up bool }

//go:norace
//go:noinline
func (f *notice) raise() { f.up = true }

//go:norace
//go:noinline
func (f *notice) raised() bool { return f.up }

func (f *notice) await() { wait(f.raised) }

// wait waits until something holds, and gives way to others.
func wait(until func() bool) {
	for n := 0; !until(); n++ {
		if n < 100 {
			runtime.Gosched()
		} else {
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// Until waits until something holds, for programs that have links of their own.
//
//go:noinline
func Until(holds func() bool) { wait(holds) }

// Pause lets others run.
func Pause() { time.Sleep(time.Microsecond) }
