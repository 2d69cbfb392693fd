// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

import "github.com/commutego/commute/internal/engine/vclock"

// A goroutine that holds a lock may start another one and wait for it, or send to it and wait for
// the answer. What the other one does meanwhile is done under the lock, too: no third goroutine can
// hold that. When the other one makes a use, it isn't known yet who will wait for it. So a use that
// knows of the begin of a section which is under way has the lock of that as a gate.

// A section is a critical section in which something was released, by the thread of the gate.
type section struct {
	gate
	begin vclock.Epoch
}

const maxSections = 256

// open notes that something is released for the first time in a section, and returns its number
// and 1.
func (w *World) open(s section) int {
	w.lock()
	defer w.spin.Unlock()
	for i := range w.sections {
		if w.sections[i].lock == 0 {
			w.sections[i] = s
			w.top = max(w.top, i+1)
			return i + 1
		}
	}
	w.crowded++
	return maxSections + 1
}

// close notes that the section of a hold ends.
func (w *World) close(h *Hold) {
	n := h.section - 1
	h.section = 0
	if n < 0 {
		return
	}
	w.lock()
	if n == maxSections {
		w.crowded--
	} else {
		w.sections[n].lock = 0
		for w.top > 0 && w.sections[w.top-1].lock == 0 {
			w.top--
		}
	}
	w.spin.Unlock()
}

// inherit gives a use the locks of others that may wait for it. It reports whether there is room
// for all. A lock that another goroutine has let go keeps out nobody, though the one that has taken
// it may not have ended. w.spin is held.
func (w *World) inherit(u *use) bool {
	for i := range w.top {
		s := &w.sections[i]
		if s.lock == 0 || s.thread == u.thread || !u.clock.Knows(s.begin) || w.wasHanded(s.lock) {
			continue
		}
		if u.n == maxHeld {
			return false
		}
		u.held[u.n] = s.gate
		u.n, u.inherits = u.n+1, true
	}
	return w.crowded == 0
}
