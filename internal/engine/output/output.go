// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// Texts wait here until they are written. A thread without a P writes them, so that neither
// goroutines nor the garbage collector wait for a pipe that is not read. On ports without threads,
// and in tests, the goroutine that sends a text writes it.

// A Text is a buffer that is to be written to a file.
type Text struct {
	text.Buffer
	next   offheap.Ref[Text]
	fd     uintptr
	report bool // otherwise it is a summary or a warning
}

// maxWaiting is how much text may wait to be written, in bytes; more is lost.
const maxWaiting = 64 << 20

// queue has the texts, in order.
var queue struct {
	lock    offheap.Lock
	first   offheap.Ref[Text]
	last    offheap.Ref[Text]
	free    offheap.Ref[Text] // texts that are not in use
	size    int               // of all texts, in bytes
	ready   atomic.Uint32     // texts that are not written, with the one that is being written
	written atomic.Uint64     // grows as texts are written

	lost     uint64 // reports that were not written
	lostRest uint64 // other texts that were not written
}

// NewText returns an empty text.
func NewText(fd uintptr, report bool) *Text {
	q := &queue
	q.lock.Lock()
	t := q.free.P()
	if t != nil {
		q.free = t.next
	}
	q.lock.Unlock()
	if t == nil {
		t = (*Text)(host.Alloc(unsafe.Sizeof(Text{})))
	}
	t.Reset()
	t.fd, t.report = fd, report
	return t
}

// Send puts a text last. It is lost if too much waits already.
func (t *Text) Send() {
	q := &queue
	q.lock.Lock()
	if q.size+t.N > maxWaiting && q.size > 0 {
		t.drop()
		q.lock.Unlock()
		return
	}
	t.next = offheap.Ref[Text]{}
	if q.last.Nil() {
		q.first = offheap.To(t)
	} else {
		q.last.P().next = offheap.To(t)
	}
	q.last = offheap.To(t)
	q.size += t.N
	q.ready.Add(1)
	q.lock.Unlock()
}

// Copy sends a copy of a text to another file, if there is one: fd is 0 if not.
func (t *Text) Copy(fd uintptr) {
	if fd == 0 {
		return
	}
	c := NewText(fd, t.report)
	c.Text(t.String())
	c.Send()
}

// Discard gives back a text that is not to be written.
func (t *Text) Discard() {
	queue.lock.Lock()
	t.next, queue.free = queue.free, offheap.To(t)
	queue.lock.Unlock()
}

// To is an empty text for the same file.
func (t *Text) To() *Text { return NewText(t.fd, t.report) }

// drop counts a text as lost; the queue's lock is held.
func (t *Text) drop() {
	if t.report {
		queue.lost++
	} else {
		queue.lostRest++
	}
	t.next, queue.free = queue.free, offheap.To(t)
}

// NextText returns the next text, for a writer that calls Written; nil if there is none. Both
// functions can be called by a thread that has no P.
func NextText() *Text {
	q := &queue
	q.lock.Lock()
	t := q.first.P()
	if t != nil {
		q.first = t.next
		if q.first.Nil() {
			q.last = offheap.Ref[Text]{}
		}
	}
	q.lock.Unlock()
	return t
}

// Contents is the rest of a text for its writer, and its file.
func (t *Text) Contents() (fd uintptr, p *byte, n int) { return t.fd, t.Data.P(), t.N }

// Advance notes that part of a text was written.
func Advance() { queue.written.Add(1) }

// Written gives a text back, which was written if ok is set, and is lost if not.
func Written(t *Text, ok bool) {
	q := &queue
	q.lock.Lock()
	q.size -= t.N
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

// Flush writes all texts, at once.
func Flush() {
	for t := NextText(); t != nil; t = NextText() {
		Written(t, host.Write(t.fd, t.Bytes()))
	}
}

// TakeLost returns how many reports, and how many other texts, were not written until now. Reports
// that wait count as well. No text is counted by two calls.
func TakeLost() (reports, rest uint64) {
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

// Warn writes a line to stderr.
func Warn(s ...string) {
	t := NewText(2, false)
	t.Text("commute: ")
	t.Texts(s...)
	t.Text("\n")
	t.Send()
	if !host.Wake() {
		Flush()
	}
}

// Fatal writes a line to stderr, and ends the program with status 2.
func Fatal(s string) {
	b := text.Buffers.Get()
	b.Reset()
	b.Texts("commute: ", s, "\n")
	host.Write(2, b.Bytes())
	host.Exit(2)
}
