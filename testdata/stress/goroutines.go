// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"iter"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// closes fill a box for many, who wait for a channel to be closed.
func closes(*shared) use {
	return func(w *worker) {
		b, filled, seen := new(box), make(chan int), make(chan int, some)
		for range some {
			go func() {
				<-filled
				b.check()
				seen <- 1
			}()
		}
		b.fill(w.r.Uint64())
		close(filled)
		w.slip(b)
		for range some {
			<-seen
		}
		b.change(w.r)
	}
}

// waitGroups have goroutines fill boxes of their own, side by side.
func waitGroups(*shared) use {
	return func(w *worker) {
		var all sync.WaitGroup
		boxes := make([]box, some)
		n := w.r.Uint64()
		for i := range boxes {
			if i == 0 {
				all.Add(1)
				go func() { defer all.Done(); boxes[i].fill(n) }()
			} else {
				all.Go(func() { boxes[i].fill(n + uint64(i)) })
			}
		}
		w.slip(&boxes[0])
		all.Wait()
		for i := range boxes {
			boxes[i].change(w.r)
		}
	}
}

// joins start a goroutine, and that another, and wait for the last.
func joins(*shared) use {
	return func(w *worker) {
		b, ended := newBox(w.r), make(chan *box, 1)
		seeds := [2]uint64{w.r.Uint64(), w.r.Uint64()}
		go func() {
			b.change(rand.New(rand.NewPCG(seeds[0], 1)))
			go func() {
				b.change(rand.New(rand.NewPCG(seeds[1], 2)))
				ended <- b
			}()
		}()
		w.slip(b)
		<-ended
		b.change(w.r)
		equal("changes", b.updates, 3)
	}
}

func contexts(*shared) use {
	return func(w *worker) {
		ctx, cancel := context.WithCancel(context.Background())
		child, stop := context.WithTimeout(ctx, time.Hour)
		defer stop()
		b, seen := new(box), make(chan int, 3)
		context.AfterFunc(child, func() { b.check(); seen <- 1 })
		go func() {
			<-ctx.Done()
			b.check()
			seen <- 1
		}()
		go func() {
			until(func() bool { return child.Err() != nil })
			b.check()
			seen <- 1
		}()
		b.fill(w.r.Uint64())
		cancel()
		w.slip(b)
		for range cap(seen) {
			<-seen
		}
		b.change(w.r)
	}
}

// timers hand a box to what happens later.
func timers(*shared) use {
	return func(w *worker) {
		b, after := newBox(w.r), time.Duration(w.r.IntN(100))*time.Microsecond
		changed := make(chan *box, 1)
		n := w.r.Uint64()
		change := func() {
			b.check()
			b.fill(n)
			changed <- b
		}
		switch w.r.IntN(4) {
		case 0:
			time.AfterFunc(after, change)
		case 1:
			timer := time.AfterFunc(time.Hour, change)
			timer.Reset(after)
		case 2:
			timer := time.NewTimer(time.Hour)
			go func() { <-timer.C; change() }()
			b.change(w.r)
			timer.Reset(after)
		case 3:
			ticker := time.NewTicker(after + 1)
			defer ticker.Stop()
			<-ticker.C
			go change()
		}
		w.slip(b)
		(<-changed).check()
	}
}

// pulls have an iterator change a box in turn with its caller, who is on two goroutines in turn.
func pulls(*shared) use {
	return func(w *worker) {
		n := w.r.Uint64()
		next, stop := iter.Pull(func(yield func(*box) bool) {
			b := new(box)
			b.fill(n)
			for i := range uint64(some) {
				if !yield(b) {
					break
				}
				b.check()
				b.fill(n + i)
			}
			b.check()
		})
		b, _ := next()
		b.change(w.r)
		moved := make(chan int)
		go func() {
			b, _ := next()
			b.check()
			close(moved)
		}()
		<-moved
		if w.r.IntN(2) == 0 {
			_, _ = next()
		}
		b.change(w.r)
		stop()
		checked := make(chan int)
		go func() {
			b.check()
			close(checked)
		}()
		w.slip(b)
		<-checked
	}
}

// collectors hand a box to a finalizer, or to a cleanup, of an object that is garbage.
func collectors(s *shared) use {
	type node struct {
		_   *node
		box *box
	}
	const room = 64 // for boxes that wait for the collector
	var pending atomic.Int64
	done := make(chan *box, room)
	finish := func(b *box) {
		b.check()
		b.fill(b.number + 1)
		done <- b
	}
	return func(w *worker) {
		select {
		case b := <-done:
			pending.Add(-1)
			b.change(w.r)
			return
		default:
		}
		if pending.Add(1) > room { // so that no finalizer waits
			pending.Add(-1)
			if w.r.IntN(50) == 0 {
				runtime.GC()
			}
			return
		}
		b := newBox(w.r)
		switch n := (&node{box: b}); w.r.IntN(2) {
		case 0:
			runtime.SetFinalizer(n, func(n *node) { finish(n.box) })
		default:
			runtime.AddCleanup(n, finish, b)
		}
		w.slip(b)
	}
}
