// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/commutego/commute/internal/soak/plan"
)

// A starter starts a goroutine. Next resumes it, if it is an iterator. Finish, if it isn't nil, is
// called when the goroutine that started it has nothing else to do.
type starter struct{ start, next, finish func() }

// starter is the way in which a goroutine of the plan is started.
func (r *Round) starter(g int) starter {
	body := func() { r.goroutine(g) }
	switch r.p.Goroutines[g].Start {
	case plan.Go:
		return starter{start: func() { go body() }}
	case plan.WaitGroupGo:
		var all sync.WaitGroup
		return starter{start: func() { all.Go(body) }, finish: all.Wait}
	case plan.AfterFunc:
		return starter{start: func() { time.AfterFunc(soon, body) }}
	case plan.ResetFunc:
		begun := new(notice)
		t := time.AfterFunc(time.Hour, func() { begun.raise(); body() })
		return starter{start: func() { reset(t, begun) }}
	case plan.CtxAfter:
		ctx, cancel := context.WithCancel(context.Background())
		context.AfterFunc(ctx, body)
		return starter{start: cancel}
	case plan.Pull:
		return r.iterator(g)
	case plan.Exec:
		return command(body)
	case plan.Finalizer:
		return collected(&r.ended[g], func(n *node) {
			runtime.SetFinalizer(n, func(*node) { body() })
		})
	case plan.Cleanup:
		return collected(&r.ended[g], func(n *node) {
			runtime.AddCleanup(n, func(int) { body() }, 1)
		})
	}
	panic("no such start")
}

// iterator is a goroutine that runs in turn with the one that started it.
func (r *Round) iterator(g int) (s starter) {
	seq := func(yield func(int) bool) {
		if r.bodies != nil {
			r.bodies[g](yield)
			return
		}
		for _, i := range r.of[g] {
			if r.p.Ops[i].Action != plan.Yield {
				r.Do(i)
			} else if !r.Yield(i, yield) {
				break
			}
		}
	}
	var next func() (int, bool)
	s.start = func() { next, s.finish = iter.Pull(seq) }
	s.next = func() { next() }
	stop := func() { s.finish() }
	return starter{start: s.start, next: s.next, finish: stop}
}

// Yield is a Yield of an iterator. It reports whether to go on.
//
//go:noinline
func (r *Round) Yield(i int, yield func(int) bool) bool {
	r.Begin(i)
	r.End(i)
	return yield(i)
}

// collected is a goroutine that starts when an object is garbage. Another goroutine collects until
// it has ended.
func collected(ended *notice, set func(*node)) starter {
	return starter{start: func() {
		set(new(node))
		go func() {
			for !ended.raised() {
				runtime.GC()
				time.Sleep(100 * time.Microsecond)
			}
		}()
	}}
}

// A node has a pointer, so that it is a block of its own.
type node struct{ _ *node }

// Say makes the program print a line and end: it is its own command.
const Say = "-say"

// command is the goroutine of package os/exec that copies what a command prints, once it prints.
func command(body func()) starter {
	w := &writer{body: body}
	path, err := os.Executable()
	check(err)
	cmd := exec.Command(path, Say)
	cmd.Stdout = w
	return starter{
		start:  func() { check(cmd.Start()) },
		finish: func() { check(cmd.Wait()) },
	}
}

// A writer does something when it is written to first.
type writer struct {
	body   func()
	called bool
}

func (w *writer) Write(b []byte) (int, error) {
	if !w.called {
		w.called = true
		w.body()
	}
	return len(b), nil
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
