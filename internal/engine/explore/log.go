// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A What says what an entry of the log is about.
type What uint8

// What entries are about.
const (
	Made     What = iota // a task, as the N-th of the task Other; of none if that is 0
	Ended                // a task is over
	Operated             // it is about to make an operation on the object Other
	Chosen               // it got the token from Other, which could go on, or from nobody
	Parked               // it waits, in what the program calls at PC; 0 if that is not known
	Came                 // an arrival is let in
	Left                 // the token was taken from it, as it waits in a system call
	Asked                // it waits for input
	Parted               // what is told to come from outside has not come true; Choice is a Why
)

// An Entry is something that has happened in a run.
type Entry struct {
	// PC is of an operation, or a wait; of a decision its anchor; of Came the clock; of Left how
	// many system calls the task was back from since it got the token; of Asked how often it asked
	// for input.
	PC    uint64
	To    uint64 // of a decision, of Came, Left and Asked: the name of the task
	Task  uint32
	Other uint32 // a task or an object; of Came, Left and Asked: how often the token was given
	// N is of Chosen the decision, 0 where there was no choice; of Came, Left and Asked the points.
	N     uint32
	What  What
	Kind  Kind // of an operation
	Usual bool // of Chosen: the default was

	Choice, Of uint32 // of a decision: the index of the candidate, and how many there were
}

const (
	chunkEntries = 1 << 12
	logChunks    = 1 << 7
)

// outside reports whether an entry is about what comes from outside.
func (w What) outside() bool { return w == Came || w == Left || w == Asked }

// A Log is what has happened in a run, if somebody wants to know that, or else what has come from
// outside: up to half a million entries.
type Log struct {
	chunks [logChunks]offheap.Ref[[chunkEntries]Entry]
	n      uint32
	on     bool
	places table // whose places are told
}

func (l *Log) add(e Entry) {
	if !l.on && !e.What.outside() || l.n == chunkEntries*logChunks {
		return
	}
	c := &l.chunks[l.n/chunkEntries]
	if c.Nil() {
		*c = offheap.To((*[chunkEntries]Entry)(host.Alloc(unsafe.Sizeof([chunkEntries]Entry{}))))
	}
	c.P()[l.n%chunkEntries] = e
	l.n++
}

// decide logs a decision. It comes before the candidate is taken.
func (l *Log) decide(c *Control, holder, n, choice, usual uint32) {
	if l.on {
		to := c.candidate(holder, choice)
		l.add(Entry{What: Chosen, Task: to, Other: holder, N: c.decided, Usual: choice == usual,
			Choice: choice, Of: n, PC: c.anchors.key(holder), To: c.tasks.at(to).Name})
	}
}

// On reports whether all of the run is logged.
func (l *Log) On() bool { return l.on }

// Park logs that a task waits, in what the program calls at a return address.
func (l *Log) Park(task uint32, pc uintptr) {
	l.add(Entry{What: Parked, Task: task, PC: uint64(pc)})
}

// Turn says whether all of runs is logged. It is not at first.
func (l *Log) Turn(on bool) { l.on = on }

// Len is how many entries the log of the run has. It reports whether these are all.
func (l *Log) Len() (n int, all bool) {
	return int(l.n), l.n < chunkEntries*logChunks
}

// At is the entry at an index.
func (l *Log) At(i int) Entry {
	return l.chunks[i/chunkEntries].P()[i%chunkEntries]
}

// NewPlace reports whether the log's reader has not been told yet where a return address is.
func (l *Log) NewPlace(pc uint64) bool {
	if l.places.find(pc, false) != nil {
		return false
	}
	l.places.find(pc, true)
	return true
}

// clear empties the log.
func (l *Log) clear() {
	l.n = 0
	l.places.clear()
}
