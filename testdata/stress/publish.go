// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// onces are boxes that are filled once, and from time to time replaced by others.
func onces(s *shared) use {
	type lazy struct {
		once sync.Once
		box  *box
		get  func() *box
	}
	fresh := func(n uint64) *[some]lazy {
		all := new([some]lazy)
		for i := range all {
			all[i].get = sync.OnceValue(func() *box {
				b := new(box)
				b.fill(n)
				return b
			})
		}
		return all
	}
	var current atomic.Pointer[[some]lazy]
	current.Store(fresh(s.seed))
	return func(w *worker) {
		l := &current.Load()[w.r.IntN(some)]
		switch w.r.IntN(20) {
		case 0:
			current.Store(fresh(w.r.Uint64()))
		case 1, 2, 3, 4:
			l.get().check()
			w.slip(l.get())
		default:
			l.once.Do(func() { l.box = newBox(w.r) })
			l.box.check()
			w.slip(l.box)
		}
	}
}

// pointers are to boxes that nobody changes: who wants a change makes another.
func pointers(s *shared) use {
	var all [some]atomic.Pointer[box]
	var changes, bits atomic.Int64
	var latest atomic.Value
	for i := range all {
		all[i].Store(newBox(rand.New(rand.NewPCG(s.seed, 8))))
	}
	latest.Store(all[0].Load())
	s.atEnd(func() {
		sum := int64(0)
		for i := range all {
			sum += all[i].Load().updates
		}
		equal("changes of pointers", sum, changes.Load())
	})
	return func(w *worker) {
		p := &all[w.r.IntN(some)]
		if old := p.Load(); w.r.IntN(3) == 0 {
			old.check()
			b := newBox(w.r)
			b.updates = old.updates + 1
			if p.CompareAndSwap(old, b) {
				changes.Add(1)
				latest.Store(b)
				w.slip(b)
			}
		} else {
			old.check()
			latest.Load().(*box).check()
			bits.Or(1 << w.r.IntN(60))
		}
	}
}

// A register is a map whose calls may race.
type register struct {
	sync.Map //commute:concurrent what is stored is not changed any more
}

// syncMaps have boxes that nobody changes any more.
func syncMaps(*shared) use {
	all := new(register)
	return func(w *worker) {
		key, b := w.r.IntN(4*some), newBox(w.r)
		found := any(nil)
		switch w.r.IntN(8) {
		case 0:
			all.Store(key, b)
			w.slip(b)
		case 1:
			found, _ = all.LoadOrStore(key, b)
		case 2:
			found, _ = all.LoadAndDelete(key)
		case 3:
			found, _ = all.Swap(key, b)
			w.slip(b)
		case 4:
			all.Range(func(_, b any) bool { b.(*box).check(); return w.r.IntN(4) > 0 })
		case 5:
			if old, ok := all.Load(key); ok && all.CompareAndSwap(key, old, b) {
				found = old
			}
		case 6:
			if old, ok := all.Load(key); ok && all.CompareAndDelete(key, old) {
				found = old
			}
		default:
			found, _ = all.Load(key)
		}
		if found != nil {
			found.(*box).check()
		}
	}
}

// pools have boxes that belong to who gets them.
func pools(*shared) use {
	var pool sync.Pool
	return func(w *worker) {
		b, _ := pool.Get().(*box)
		if b == nil {
			b = newBox(w.r)
		}
		b.change(w.r)
		pool.Put(b)
		w.slip(b)
	}
}

// A request is a box that goes to a server and comes back.
type request struct {
	box  *box
	back chan *box
}

// ask fills a box, has it changed by somebody, and checks it.
func ask(w *worker, send func(r request)) {
	back := make(chan *box)
	b := newBox(w.r)
	send(request{b, back})
	w.slip(b)
	got := <-back
	got.change(w.r)
	equal("changes", got.updates, 2)
}

func answer(q request, r *rand.Rand) {
	q.box.change(r)
	q.back <- q.box
}

func unbuffered(s *shared) use {
	requests := make(chan request)
	for range some {
		s.serve(func(r *rand.Rand) {
			for {
				select {
				case q := <-requests:
					answer(q, r)
				case <-s.over:
					return
				}
			}
		})
	}
	return func(w *worker) { ask(w, func(q request) { requests <- q }) }
}

// buffered is a queue from which workers take what others have put in.
func buffered(s *shared) use {
	queue := make(chan *box, 4)
	var put, got atomic.Int64
	s.atEnd(func() {
		close(queue)
		for b := range queue {
			b.check()
			got.Add(1)
		}
		equal("boxes taken out of the channel", got.Load(), put.Load())
	})
	return func(w *worker) {
		b := newBox(w.r)
		select {
		case queue <- b:
			put.Add(1)
			w.slip(b)
		case b := <-queue:
			got.Add(1)
			b.change(w.r)
		}
	}
}

// selects have a server that owns a box: whoever wants it asks for it, on one channel or another, and gives it back.
func selects(s *shared) use {
	one, two, out, in := make(chan request), make(chan request, 1), make(chan *box), make(chan *box)
	var lent atomic.Int64
	s.serve(func(r *rand.Rand) {
		own := newBox(r)
		for {
			select {
			case q := <-one:
				own.use(r)
				answer(q, r)
			case q := <-two:
				answer(q, r)
				own.check()
			case out <- own:
				own = <-in
				own.check()
				equal("changes of a box that is lent", own.updates, lent.Load())
				own.updates = 0
				lent.Store(0)
			case <-s.over:
				return
			}
		}
	})
	return func(w *worker) {
		if w.r.IntN(3) == 0 {
			b := <-out
			b.updates = 0
			b.change(w.r)
			lent.Store(1)
			in <- b
			w.slip(b)
			return
		}
		ask(w, func(q request) {
			select {
			case one <- q:
			case two <- q:
			}
		})
	}
}
