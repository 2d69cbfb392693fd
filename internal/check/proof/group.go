// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package proof

import "slices"

// An adder is a thread that has added to the counter of a WaitGroup, and where it last did.
type adder struct {
	thread uint32
	index  uint64
}

// adds is told that a thread adds to the counter of a WaitGroup.
func (l *least) adds(index uint64, thread, group uint32) {
	if l.adders == nil {
		l.adders = make(map[uint32][]adder)
	}
	list := slices.DeleteFunc(l.adders[group], func(a adder) bool { return a.thread == thread })
	l.adders[group] = append(list, adder{thread, index})
}

// waitsFor reports whether Wait by a thread comes after each Done that came before it in the trace:
// whether what these take off was added before Wait in any order. That is so if the thread itself
// has added it, or one that has started it since, or one that has started that. Otherwise Wait may
// come before Add.
func (l *least) waitsFor(thread, group uint32) bool {
	for _, a := range l.adders[group] {
		t, before := thread, ^uint64(0)
		for a.thread != t || a.index > before {
			of := &l.threads[t]
			if of.startedBy == 0 {
				return false
			}
			t, before = of.startedBy-1, of.startedAt
		}
	}
	return true
}
