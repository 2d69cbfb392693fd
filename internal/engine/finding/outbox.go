// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/text"
)

// A goroutine that finds something posts a message, at the cost of a copy of the finding. A
// goroutine of the runtime's makes the text; that one can be preempted. Then package output has the
// text. On ports without threads, and in the tests of this package, the poster makes the text.

var outbox struct {
	lock   offheap.Lock
	first  offheap.Ref[message] // the messages, in order
	last   offheap.Ref[message]
	making bool          // some goroutine makes the text of a message
	posted atomic.Uint32 // messages whose texts are not made, with the one that is being made
	prefix text.Buffer   // for the goroutine that makes a text
}

// post puts a message last; the caller calls Wake when it holds no lock any more.
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

// Wake has the texts of messages made, and written.
func Wake() {
	// On a port without threads no other goroutine will make the text.
	if !host.Wake() {
		drain()
	}
}

// drain makes and writes the texts of all messages, at once.
func drain() {
	for m := Take(); m != nil; m = Take() {
		m.MakeText()
		m.Done()
	}
	output.Flush()
	if halting.Load() != 0 {
		host.Exit(option.Current.Exit)
	}
}

// Take returns the next message, for a caller of MakeText and then Done. It is nil if there is
// none, or if another goroutine has one.
func Take() *message {
	o := &outbox
	o.lock.Lock()
	m := o.first.P()
	// One text is made at a time, so that texts are in order.
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
	// The text is taken without the lock, as its memory may have to be made.
	m.text = offheap.To(output.NewText(option.Current.Out, m.kind != kindSummary))
	return m
}

// Done sends the text of a message to package output.
func (m *message) Done() {
	o, t := &outbox, m.text.P()
	shown := true
	if m.isFull() {
		t.Copy(counts.Reports())
		shown = wantsShown()
	}
	if shown && option.Current.Color {
		t = colored(t)
	}
	for i := range m.calls {
		m.calls[i].Drop()
	}
	messages.Put(m)
	o.lock.Lock()
	// Under the lock, LastWords counts the report once: as posted, or as sent.
	if shown {
		t.Send()
	} else {
		t.Discard()
	}
	o.making = false
	o.posted.Add(^uint32(0))
	o.lock.Unlock()
}

// shownReports counts the full reports that were written, and hiddenReports those that were not, as
// there were too many. One goroutine makes texts at a time.
var shownReports, hiddenReports uint64

// maxShown is how many full reports a program writes that a command has started.
const maxShown = 10

// wantsShown reports whether one more full report is to be written, and counts it.
func wantsShown() bool {
	limit := option.Current.MaxReports
	if limit < 0 && counts.Wanted() {
		limit = maxShown
	}
	if limit > 0 && shownReports >= uint64(limit) {
		hiddenReports++
		return false
	}
	shownReports++
	return true
}

// Posted reports whether there are messages whose text is not made.
func Posted() bool { return outbox.posted.Load() != 0 }

// halting is 1 when the program is to end, as soon as what was found is written.
var halting atomic.Uint32

// Halting reports whether the program is to end as soon as all is written.
//
//go:nosplit
func Halting() bool { return halting.Load() != 0 }

// HaltStatus is the status to end with then.
func HaltStatus() int32 { return option.Current.Exit }

// LastWords says on stderr how much could not be written, at the end of the program. It reports
// whether that has to be written.
func LastWords() bool {
	// With the lock, a message is either posted, or its text is with package output.
	outbox.lock.Lock()
	reports, rest := output.TakeLost()
	reports += uint64(outbox.posted.Load())
	outbox.lock.Unlock()
	if reports+rest == 0 {
		return false
	}
	t := output.NewText(2, false)
	t.Text("commute: ")
	if reports > 0 {
		t.Uint(reports)
		t.Text(text.Plural(reports, " report", " reports"))
	}
	if rest > 0 {
		t.Texts(text.Pick(reports > 0, " and ", ""), "the summary")
	}
	t.Text(" could not be written")
	if option.Current.Log != "" {
		t.Texts(" to ", option.Current.Log, " (is the disk full?)")
	}
	t.Text("\n")
	t.Send()
	Wake()
	return true
}
