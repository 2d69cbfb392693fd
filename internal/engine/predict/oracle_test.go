// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/engine/vclock"
)

const (
	read = iota
	write
	lock
	rlock
	unlock
	runlock
	release
	acquire
	fork
	fail // a try to take a lock that another thread holds
)

// An event of a trace.
type event struct {
	thread, op, arg int
	t               int // the transaction that it is in, 0 for none
	independent     bool
	rf              int // of a read: the write that it reads from, -1 for none
	releases        int // of an acquire: how many releases of the object came before
	epoch           vclock.Epoch
	site            uint32
}

// access is the event as an access.
func (e *event) access() Access {
	return Access{Epoch: e.epoch, Goid: uint64(e.thread), Site: e.site, PC: uintptr(e.site),
		Writes: e.op == write}
}

var opNames = [...]string{
	"read", "write", "lock", "rlock", "unlock", "runlock", "release", "acquire", "fork", "fail",
}

func show(trace []event) string {
	var b strings.Builder
	for i, e := range trace {
		fmt.Fprintf(&b, "%3d %sthread %d: %s %d (transaction %d, value-independent %v)\n",
			i, strings.Repeat("    ", e.thread), e.thread, opNames[e.op], e.arg, e.t, e.independent)
	}
	return b.String()
}

// A position is the state after an interleaving of some events of a trace.
type position struct {
	at      [4]int8 // the number of events of each thread so far
	last    [nVars]int16
	changed [nVars]bool // the last write had another value than in the trace
	differs [4]int32    // the transaction in which the thread reads other values, 0 for none
}

// A shape is what a prediction is of: events of a trace.
type shape struct {
	first, entry, other, second int
	otherReads                  bool
}

// shapeOf is what p is of.
func shapeOf(p *Prediction) shape {
	return shape{
		int(p.First.Site), int(p.Entry.Site), int(p.Other.Site), int(p.Second.Site), p.OtherReads,
	}
}

// conflicts reports whether the events of a shape are a cycle: they conflict, and what comes
// between is by one thread in this order, or in one transaction. In the trace that has come after
// both accesses of the transaction, as reports say.
func (s *shape) conflicts(trace []event) bool {
	first, entry, other, second := &trace[s.first], &trace[s.entry], &trace[s.other],
		&trace[s.second]
	conflict := func(a, b *event) bool {
		return a.op <= write && b.op <= write && a.arg == b.arg && a.thread != b.thread &&
			(a.op == write || b.op == write)
	}
	return conflict(first, entry) && conflict(other, second) && first.t == second.t &&
		first.t != 0 && s.first < s.second && s.second < min(s.entry, s.other) &&
		entry.thread == other.thread &&
		(s.entry <= s.other || entry.t == other.t && entry.t != 0)
}

// feasible reports whether an interleaving of the trace's events has first before entry, and other,
// and second could come next. It tries all in which
//
//   - each thread does what it did in the trace, up to some event;
//   - each read reads from the same write;
//   - locks exclude each other;
//   - an acquire of an object waits for the releases before it.
//
// Reads in a value-independent transaction may read from other writes, but then the thread goes no
// further than that transaction. If otherReads, other may read from any write, and its thread does
// nothing afterwards but release its locks.
func feasible(trace []event, x shape) bool {
	var by [4][]int
	forkOf := [4]int{-1, -1, -1, -1}
	for i, e := range trace {
		by[e.thread] = append(by[e.thread], i)
		if e.op == fork {
			forkOf[e.arg] = i
		}
	}
	index := make([]int, len(trace))
	for _, list := range by {
		for k, i := range list {
			index[i] = k
		}
	}
	done := func(s *position, i int) bool { return int(s.at[trace[i].thread]) > index[i] }
	seen := make(map[position]bool)
	var search func(s position) bool
	search = func(s position) bool {
		if done(&s, x.other) && done(&s, x.entry) &&
			int(s.at[trace[x.second].thread]) == index[x.second] {
			return true
		}
		if seen[s] {
			return false
		}
		seen[s] = true
		// The locks as they are: the number of writers' acquires less releases, and of readers'.
		var writers, readers [nLocks]int
		for th, list := range by {
			if s.differs[th] < 0 {
				continue // it has released its locks
			}
			for _, i := range list[:s.at[th]] {
				switch e := trace[i]; e.op {
				case lock:
					writers[e.arg]++
				case unlock:
					writers[e.arg]--
				case rlock:
					readers[e.arg]++
				case runlock:
					readers[e.arg]--
				}
			}
		}
		for th, list := range by {
			k := int(s.at[th])
			if k == len(list) || list[k] == x.second ||
				k == 0 && forkOf[th] >= 0 && !done(&s, forkOf[th]) {
				continue
			}
			i := list[k]
			e := trace[i]
			if i == x.entry && !done(&s, x.first) {
				continue
			}
			next := s
			next.at[th]++
			if d := s.differs[th]; d != 0 && e.t != int(d) {
				continue
			}
			switch e.op {
			case read:
				switch {
				case i == x.other && x.otherReads:
					next.differs[th] = -1
				case int(s.last[e.arg])-1 != e.rf || s.changed[e.arg]:
					if !e.independent {
						continue
					}
					next.differs[th] = int32(e.t)
				}
			case write:
				next.last[e.arg], next.changed[e.arg] = int16(i+1), next.differs[th] != 0
			case lock:
				if writers[e.arg] != 0 || readers[e.arg] != 0 {
					continue
				}
			case rlock:
				if writers[e.arg] != 0 {
					continue
				}
			case unlock:
				if writers[e.arg] == 0 {
					continue
				}
			case acquire:
				n := 0
				ok := true
				for j, o := range trace[:i] {
					if o.op == release && o.arg == e.arg && n < e.releases {
						n++
						ok = ok && done(&s, j)
						differs := int(s.differs[o.thread])
						// What the thread has released itself, it did before.
						if o.thread != th && differs != 0 && done(&s, j) && o.t == differs {
							ok = false
						}
					}
				}
				if !ok {
					continue
				}
			case fail:
				if writers[e.arg] == 0 {
					continue
				}
			}
			if search(next) {
				return true
			}
		}
		return false
	}
	var s position
	return search(s)
}
