// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

type options struct {
	duration   time.Duration
	goroutines int
	seed       uint64
	kinds      []kind
	racy       bool
}

// A kind is one way to protect memory.
type kind struct {
	name string
	make func(s *shared) use
}

// A use does something once, on behalf of a worker. Many workers have the same use.
type use func(w *worker)

// shared is what the uses of one run have in common.
type shared struct {
	options
	over    chan int       // closed at the end
	servers sync.WaitGroup // goroutines that end then
	started uint64         // how many
	final   []func()       // checks, for when all is over
}

// serve starts a goroutine that has its own random numbers and ends when the run is over.
func (s *shared) serve(f func(r *rand.Rand)) {
	s.started++
	r := rand.New(rand.NewPCG(s.seed, 1<<41+s.started))
	s.servers.Go(func() { f(r) })
}

// atEnd runs a check when all goroutines have ended.
func (s *shared) atEnd(f func()) { s.final = append(s.final, f) }

// A worker is a goroutine that chooses what to do.
type worker struct {
	r     *rand.Rand
	racy  bool
	uses  int
	slips int
}

// slip touches a box to which the worker has no right, if this is a racy run and chance wants it.
func (w *worker) slip(b *box) {
	if w.racy && w.r.IntN(20) == 0 {
		runtime.Gosched() // gives the box's owner a chance
		b.touch(w.r)
		w.slips++
	}
}

// A result says what was done.
type result struct {
	took  time.Duration
	kinds []kind
	uses  []int // of each kind
	slips []int
}

// run runs all kinds and checks that no change was lost.
func run(o options) *result {
	s := &shared{options: o, over: make(chan int)}
	uses := make([]use, len(o.kinds))
	for i, k := range o.kinds {
		uses[i] = k.make(s)
	}
	counts := make([][]worker, o.goroutines)
	before := runtime.GOMAXPROCS(0)
	start := time.Now()
	var over atomic.Bool
	time.AfterFunc(o.duration, func() { over.Store(true) })
	var all sync.WaitGroup
	for i := range counts {
		counts[i] = make([]worker, len(uses))
		all.Go(func() { work(o, uint64(i), uses, counts[i], &over) })
	}
	all.Go(func() { changeProcs(o.seed, &over) })
	all.Wait()
	close(s.over)
	s.servers.Wait()
	runtime.GOMAXPROCS(before)
	for _, check := range s.final {
		check()
	}
	r := &result{time.Since(start), o.kinds, make([]int, len(uses)), make([]int, len(uses))}
	for _, c := range counts {
		for k := range c {
			r.uses[k] += c[k].uses
			r.slips[k] += c[k].slips
		}
	}
	return r
}

// work is what a worker does, as a different one for each kind.
func work(o options, number uint64, uses []use, workers []worker, over *atomic.Bool) {
	r := rand.New(rand.NewPCG(o.seed, number))
	for i := range workers {
		workers[i] = worker{r: r, racy: o.racy}
	}
	for !over.Load() {
		k := r.IntN(len(uses))
		uses[k](&workers[k])
		workers[k].uses++
	}
}

// changeProcs changes GOMAXPROCS, and runs the collector, at random.
func changeProcs(seed uint64, over *atomic.Bool) {
	r := rand.New(rand.NewPCG(seed, 1<<40))
	for !over.Load() {
		time.Sleep(time.Duration(r.IntN(50)) * time.Millisecond)
		runtime.GOMAXPROCS(1 + r.IntN(8))
		if r.IntN(10) == 0 {
			runtime.GC()
		}
	}
}

// print writes how often each kind was used, and how often it slipped.
func (r *result) print(out io.Writer) {
	uses, slips := 0, 0
	tw := tabwriter.NewWriter(out, 0, 8, 2, ' ', tabwriter.AlignRight)
	for i, k := range r.kinds {
		fmt.Fprintf(tw, "%s\t%d\t%d slips\t\n", k.name, r.uses[i], r.slips[i])
		uses += r.uses[i]
		slips += r.slips[i]
	}
	_ = tw.Flush()
	fmt.Fprintf(out, "stress: %d uses in %v, %.0f a second, %d slips\n",
		uses, r.took.Round(time.Millisecond), float64(uses)/r.took.Seconds(), slips)
}
