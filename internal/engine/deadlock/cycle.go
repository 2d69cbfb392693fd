// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlock

// MaxLength is the number of goroutines in a cycle, at most, and budget the steps of a search.
const (
	MaxLength = 4
	budget    = 2000
)

// A Cycle is goroutines of which each waits for a lock that the next one holds, and the last for
// one of the first. Or it is a repetition, and a writer.
type Cycle struct {
	N    int
	Side [MaxLength]Side
}

// Repeats reports whether the first side is a repetition, and the second one a writer.
func (c *Cycle) Repeats() bool { return c.Side[0].Held == c.Side[0].Wanted }

// A search looks for a cycle that begins with a use.
type search struct {
	w      *World
	path   [MaxLength]*use
	n      int
	budget int
}

// search finds a cycle with u, which is in its list. w.spin is held.
func (w *World) search(u *use, c *Cycle) bool {
	s := search{w: w, budget: budget, n: 1}
	s.path[0] = u
	switch {
	case u.Held == 0:
		return s.repetition(u, c)
	case u.Held == u.Wanted:
		return s.writer(u, c)
	}
	for length := 2; length <= MaxLength; length++ { // the short ones first
		if s.extend(length) {
			s.cycle(c)
			return true
		}
	}
	return false
}

// cycle makes a cycle of the path.
func (s *search) cycle(c *Cycle) {
	c.N = s.n
	for i := range s.n {
		s.path[i].reported = true
		c.Side[i] = s.path[i].Side
	}
}

// extend goes on from the path, to a cycle of some length.
func (s *search) extend(length int) bool {
	first, last := s.path[0], s.path[s.n-1]
	if s.n == length {
		return last.Wanted == first.Held && !(last.WantedRead && first.HeldRead) && s.reachable()
	}
	for u := last.to.P().out.P(); u != nil; u = u.next.P() {
		if s.budget--; s.budget < 0 {
			return false
		}
		if last.WantedRead && u.HeldRead || u.Wanted == u.Held || !s.compatible(u) {
			continue
		}
		s.path[s.n] = u
		s.n++
		if s.extend(length) {
			return true
		}
		s.n--
	}
	return false
}

// writer looks for a writer that a repetition can wait for.
func (s *search) writer(u *use, c *Cycle) bool {
	for o := u.to.P().writers.P(); o != nil; o = o.next.P() {
		if s.compatible(o) {
			if s.path[1], s.n = o, 2; s.reachable() {
				s.cycle(c)
				return true
			}
			s.n = 1
		}
	}
	return false
}

// repetition looks for a repetition that can wait for a writer.
func (s *search) repetition(u *use, c *Cycle) bool {
	for o := u.to.P().out.P(); o != nil; o = o.next.P() {
		if o.Wanted == o.Held && s.compatible(o) {
			if s.path[0], s.path[1], s.n = o, u, 2; s.reachable() {
				s.cycle(c)
				return true
			}
			s.path[0], s.n = u, 1
		}
	}
	return false
}

// compatible reports whether a use can be part of a cycle with those of the path.
func (s *search) compatible(u *use) bool {
	if !u.alive(s.w) {
		return false
	}
	for _, o := range s.path[:s.n] {
		if u.thread == o.thread || u.gated(o) || u.clock.Knows(o.begin) ||
			o.clock.Knows(u.begin) {
			return false
		}
	}
	return true
}

// reachable reports whether the goroutines of the path can come to their uses one after the other,
// in some order: none passes a lock that one before holds.
func (s *search) reachable() bool {
	var done [MaxLength]bool
	for range s.n {
		found := false
		for i, u := range s.path[:s.n] {
			if !done[i] && s.canBeLast(u, &done) {
				done[i], found = true, true
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// canBeLast reports whether a goroutine can come to its use after all others that are not done. Of
// one that has inherited gates it is not known what was passed: who waits for it may have, too.
func (s *search) canBeLast(u *use, done *[MaxLength]bool) bool {
	for i, o := range s.path[:s.n] {
		if !done[i] && o != u && (u.inherits || meet(u.passed[:u.nPassed], o.held[:o.n])) {
			return false
		}
	}
	return true
}

// gated reports whether two uses have a gate.
func (u *use) gated(o *use) bool { return meet(u.held[:u.n], o.held[:o.n]) }

// meet reports whether a lock is in both lists, not for reading only.
func meet(a, b []gate) bool {
	for _, x := range a {
		for _, y := range b {
			if x.lock == y.lock && x.thread != y.thread && !(x.read && y.read) {
				return true
			}
		}
	}
	return false
}
