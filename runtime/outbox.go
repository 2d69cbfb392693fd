// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A goroutine that finds something posts a message, which costs no more than a copy of the finding.
// A goroutine of the runtime's makes the text; it can be preempted. A thread without a P writes the
// text, so that neither goroutines nor the garbage collector wait for a pipe that nobody reads. On
// ports without threads, and in the tests of this package, the poster makes the text and writes it.

// A text is what is to be written.
type text struct {
	buffer
	next   offheap.Ref[text]
	fd     uintptr
	report bool // else it's a summary or a warning
}

// maxWaiting is how much text may wait to be written, in bytes; what would be more is lost.
const maxWaiting = 64 << 20

var outbox struct {
	lock   offheap.Lock
	first  offheap.Ref[message] // the messages, in order
	last   offheap.Ref[message]
	making bool          // somebody makes the text of one
	posted atomic.Uint32 // messages whose texts are not made, the one in the making included

	texts   offheap.Ref[text] // in order
	end     offheap.Ref[text]
	free    offheap.Ref[text]
	size    int           // of the texts, in bytes
	ready   atomic.Uint32 // texts that are not written, the one that is being written included
	written atomic.Uint64 // grows as they are

	lost     uint64 // reports that were not written
	lostRest uint64 // and other texts
	prefix   buffer // for the maker of a text
}

// post takes a message; wake is to be called when no lock is held any more.
func post(m *message) {
	o := &outbox
	m.next = offheap.Ref[message]{}
	o.lock.Lock()
	if o.last.Nil() {
		o.first = offheap.To(m)
	} else {
		o.last.P().next = offheap.To(m)
	}
	o.last = offheap.To(m)
	o.posted.Add(1)
	o.lock.Unlock()
}

// wake has the texts of messages made, and written.
func wake() {
	if !host.Wake() {
		drain()
	}
}

// drain makes and writes what there is, at once.
func drain() {
	for m := Take(); m != nil; m = Take() {
		m.Make()
		m.Done()
	}
	for t := NextText(); t != nil; t = NextText() {
		p := t.bytes()
		Written(t, host.Write(t.fd, p))
	}
	if halting.Load() != 0 {
		host.Exit(options.exit)
	}
}

// Take returns the next message, for a caller of Make and then Done. It's nil if there is none, or
// somebody else has one.
func Take() *message {
	o := &outbox
	o.lock.Lock()
	m := o.first.P()
	if m == nil || o.making {
		o.lock.Unlock()
		return nil
	}
	o.making = true
	o.first = m.next
	if o.first.Nil() {
		o.last = offheap.Ref[message]{}
	}
	m.text = offheap.To(newText())
	o.lock.Unlock()
	return m
}

// newText returns an empty text; outbox.lock is held.
func newText() *text {
	t := outbox.free.P()
	if t == nil {
		t = (*text)(host.Alloc(unsafe.Sizeof(text{})))
	} else {
		outbox.free = t.next
	}
	t.reset()
	return t
}

// Done hands the text of a message on to the writer.
func (m *message) Done() {
	o, t := &outbox, m.text.P()
	t.fd, t.report = options.out, m.kind != theSummary
	for i := range m.calls {
		m.calls[i].Drop()
	}
	messages.Put(m)
	o.lock.Lock()
	t.send()
	o.making = false
	o.posted.Add(^uint32(0))
	o.lock.Unlock()
}

// send puts a text last; outbox.lock is held.
func (t *text) send() {
	o := &outbox
	if o.size+t.n > maxWaiting && o.size > 0 {
		t.drop()
		return
	}
	t.next = offheap.Ref[text]{}
	if o.end.Nil() {
		o.texts = offheap.To(t)
	} else {
		o.end.P().next = offheap.To(t)
	}
	o.end = offheap.To(t)
	o.size += t.n
	o.ready.Add(1)
}

// drop counts a text as lost; outbox.lock is held.
func (t *text) drop() {
	if t.report {
		outbox.lost++
	} else {
		outbox.lostRest++
	}
	t.next, outbox.free = outbox.free, offheap.To(t)
}

// NextText returns the next text, for a writer that calls Written; nil if there is none. Both
// can be called by a thread that has no P.
func NextText() *text {
	o := &outbox
	o.lock.Lock()
	t := o.texts.P()
	if t != nil {
		o.texts = t.next
		if o.texts.Nil() {
			o.end = offheap.Ref[text]{}
		}
	}
	o.lock.Unlock()
	return t
}

// Text is what is to be written of t, and where.
func (t *text) Text() (fd uintptr, p *byte, n int) { return t.fd, t.data.P(), t.n }

// Advance tells that part of a text was written.
func Advance() { outbox.written.Add(1) }

// Written gives a text back that was written, if ok, or could not be.
func Written(t *text, ok bool) {
	o := &outbox
	o.lock.Lock()
	o.size -= t.n
	if ok {
		t.next, o.free = o.free, offheap.To(t)
	} else {
		t.drop()
	}
	o.written.Add(1)
	o.ready.Add(^uint32(0))
	o.lock.Unlock()
}

// Posted reports whether there are messages whose text has not been made.
func Posted() bool { return outbox.posted.Load() != 0 }

// Unwritten reports whether there is text that is not written.
func Unwritten() bool { return outbox.ready.Load() != 0 }

// Progress grows as texts are written.
func Progress() uint64 { return outbox.written.Load() }

// halting is 1 when the program is to end, as soon as what was found is written.
var halting atomic.Uint32

// Halting reports whether it is.
//
//go:nosplit
func Halting() bool { return halting.Load() != 0 }

// HaltStatus is the status to end with then.
func HaltStatus() int32 { return options.exit }

// LastWords says on stderr how much could not be written, at the end of the program. It reports
// whether there is something to write then.
func LastWords() bool {
	o := &outbox
	o.lock.Lock()
	reports, rest := o.lost+uint64(o.posted.Load()), o.lostRest
	o.lost, o.lostRest = 0, 0
	for t := o.texts.P(); t != nil; t = t.next.P() {
		if t.report {
			reports++
		}
	}
	if reports+rest == 0 {
		o.lock.Unlock()
		return false
	}
	t := newText()
	t.fd, t.report = 2, false
	t.text("commute: ")
	if reports > 0 {
		t.uint(reports)
		t.text(plural(reports, " report", " reports"))
	}
	if rest > 0 {
		t.texts(pick(reports > 0, " and ", ""), "the summary")
	}
	t.text(" could not be written")
	if options.log != "" {
		t.texts(" to ", options.log, " (is the disk full?)")
	}
	t.text("\n")
	t.send()
	o.lock.Unlock()
	wake()
	return true
}

// warn writes a line to stderr.
func warn(s ...string) {
	o := &outbox
	o.lock.Lock()
	t := newText()
	t.fd, t.report = 2, false
	t.text("commute: ")
	t.texts(s...)
	t.text("\n")
	t.send()
	o.lock.Unlock()
	wake()
}

// fatal ends the program.
func fatal(s string) {
	b := buffers.Get()
	b.reset()
	b.texts("commute: ", s, "\n")
	host.Write(2, b.bytes())
	host.Exit(2)
}
