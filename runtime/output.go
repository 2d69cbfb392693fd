// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Texts wait here until they are written. A thread without a P writes them, so that neither
// goroutines nor the garbage collector wait for a pipe that nobody reads. On ports without threads,
// and in tests, the goroutine that sends a text writes it.

// A text is what is to be written.
type text struct {
	buffer
	next   offheap.Ref[text]
	fd     uintptr
	report bool // else it's a summary or a warning
}

// maxWaiting is how much text may wait to be written, in bytes; what would be more is lost.
const maxWaiting = 64 << 20

// queue has the texts, in order.
var queue struct {
	lock    offheap.Lock
	first   offheap.Ref[text]
	last    offheap.Ref[text]
	free    offheap.Ref[text]
	size    int           // of all, in bytes
	ready   atomic.Uint32 // texts that are not written, the one that is being written included
	written atomic.Uint64 // grows as they are

	lost     uint64 // reports that were not written
	lostRest uint64 // and other texts
}

// newText returns an empty text.
func newText(fd uintptr, report bool) *text {
	q := &queue
	q.lock.Lock()
	t := q.free.P()
	if t != nil {
		q.free = t.next
	}
	q.lock.Unlock()
	if t == nil {
		t = (*text)(host.Alloc(unsafe.Sizeof(text{})))
	}
	t.reset()
	t.fd, t.report = fd, report
	return t
}

// send puts a text last. It is lost if too much waits already.
func (t *text) send() {
	q := &queue
	q.lock.Lock()
	if q.size+t.n > maxWaiting && q.size > 0 {
		t.drop()
		q.lock.Unlock()
		return
	}
	t.next = offheap.Ref[text]{}
	if q.last.Nil() {
		q.first = offheap.To(t)
	} else {
		q.last.P().next = offheap.To(t)
	}
	q.last = offheap.To(t)
	q.size += t.n
	q.ready.Add(1)
	q.lock.Unlock()
}

// drop counts a text as lost; the queue's lock is held.
func (t *text) drop() {
	if t.report {
		queue.lost++
	} else {
		queue.lostRest++
	}
	t.next, queue.free = queue.free, offheap.To(t)
}

// NextText returns the next text, for a writer that calls Written; nil if there is none. Both
// can be called by a thread that has no P.
func NextText() *text {
	q := &queue
	q.lock.Lock()
	t := q.first.P()
	if t != nil {
		q.first = t.next
		if q.first.Nil() {
			q.last = offheap.Ref[text]{}
		}
	}
	q.lock.Unlock()
	return t
}

// Text is what is to be written of t, and where.
func (t *text) Text() (fd uintptr, p *byte, n int) { return t.fd, t.data.P(), t.n }

// Advance tells that part of a text was written.
func Advance() { queue.written.Add(1) }

// Written gives a text back that was written, if ok, or could not be.
func Written(t *text, ok bool) {
	q := &queue
	q.lock.Lock()
	q.size -= t.n
	if ok {
		t.next, q.free = q.free, offheap.To(t)
	} else {
		t.drop()
	}
	q.written.Add(1)
	q.ready.Add(^uint32(0))
	q.lock.Unlock()
}

// Unwritten reports whether there is text that is not written.
func Unwritten() bool { return queue.ready.Load() != 0 }

// Progress grows as texts are written.
func Progress() uint64 { return queue.written.Load() }

// flush writes all texts, at once.
func flush() {
	for t := NextText(); t != nil; t = NextText() {
		Written(t, host.Write(t.fd, t.bytes()))
	}
}

// takeLost returns how many reports, and how many other texts, were not written until now. Reports
// that wait count. What was lost is not counted again.
func takeLost() (reports, rest uint64) {
	q := &queue
	q.lock.Lock()
	reports, rest = q.lost, q.lostRest
	q.lost, q.lostRest = 0, 0
	for t := q.first.P(); t != nil; t = t.next.P() {
		if t.report {
			reports++
		}
	}
	q.lock.Unlock()
	return reports, rest
}

// warn writes a line to stderr.
func warn(s ...string) {
	t := newText(2, false)
	t.text("commute: ")
	t.texts(s...)
	t.text("\n")
	t.send()
	if !host.Wake() {
		flush()
	}
}

// fatal ends the program.
func fatal(s string) {
	b := buffers.Get()
	b.reset()
	b.texts("commute: ", s, "\n")
	host.Write(2, b.bytes())
	host.Exit(2)
}
