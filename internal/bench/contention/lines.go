// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

// stripes is the number of stripes of a divided object, as in package commrace.
const stripes = 64

// A line names a line of the caches: what is in it, of which stripe or key, and of which processor
// if each has one of its own.
type line struct {
	kind  byte
	index int
	proc  int
}

// The kinds of lines.
const (
	lockLine   = iota // a stripe's lock, with its lists of pending calls
	genLine           // the object's generation
	cellLine          // the lists of a key
	touchLine         // a processor's touch of a key
	globalLine        // its touch of points without a key, one in each stripe
)

// call is one call of processor p with a key. A Load reads the key's lists and the touches of those
// that come before its own, and writes its touches. A Store writes the lists as well. The object
// has n stripes; in one that isn't divided the generation is beside the lock.
func (m *machine) call(p, key, n int, store bool) {
	s := key % n
	if n > 1 {
		m.access(p, line{kind: genLine}, store)
	}
	m.access(p, line{kind: cellLine, index: key}, store)
	last := m.last[key]
	m.access(p, line{kind: touchLine, index: key, proc: last}, false)
	m.access(p, line{kind: touchLine, index: key, proc: p}, true)
	m.access(p, line{kind: globalLine, index: s, proc: m.lastIn[s]}, false)
	m.access(p, line{kind: globalLine, index: s, proc: p}, true)
	m.last[key], m.lastIn[s] = p, p
	m.seen[p][key] = m.stores[key] + 1
	if store {
		m.stores[key]++ // what was seen of the key, also by p, is gone
	}
}

// again is a Load that p remembers. It reads whether calls are under way, and writes its touches.
func (m *machine) again(p, key, n int) {
	s := key % n
	if n > 1 {
		m.access(p, line{kind: genLine}, false)
	}
	m.access(p, line{kind: lockLine, index: s}, false)
	m.access(p, line{kind: touchLine, index: key, proc: p}, true)
	m.access(p, line{kind: globalLine, index: s, proc: p}, true)
}
