// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A goroutine that finds something posts a message, which costs no more than a copy of the finding.
// A goroutine of the runtime's makes the text; it can be preempted. The text goes to the queue of
// texts. On ports without threads, and in the tests of this package, the poster makes the text.

var outbox struct {
	lock   offheap.Lock
	first  offheap.Ref[message] // the messages, in order
	last   offheap.Ref[message]
	making bool          // a goroutine makes the text of one
	posted atomic.Uint32 // messages whose texts are not made, the one in the making included
	prefix buffer        // for the maker of a text
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
	flush()
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
	o.lock.Unlock()
	m.text = offheap.To(newText(options.out, m.kind != theSummary))
	return m
}

// Done hands the text of a message on to the writer.
func (m *message) Done() {
	o, t := &outbox, m.text.P()
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

// Posted reports whether there are messages whose text has not been made.
func Posted() bool { return outbox.posted.Load() != 0 }

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
	outbox.lock.Lock()
	reports, rest := takeLost()
	reports += uint64(outbox.posted.Load())
	outbox.lock.Unlock()
	if reports+rest == 0 {
		return false
	}
	t := newText(2, false)
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
	wake()
	return true
}
