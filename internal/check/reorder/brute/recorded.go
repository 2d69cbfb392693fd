// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import (
	"slices"

	"github.com/commutego/commute/internal/check/reorder"
)

// followed reports whether all steps before one were made, and just as in the trace.
func (s *Search) followed(i int32) bool {
	for n, j := range s.order {
		if int(j) != n {
			return false
		}
	}
	return len(s.order) == int(i)
}

// seesAll reports whether a step would see what it saw: the same write, of which the block is over
// if it is one of another thread.
func (s *Search) seesAll(i int32) bool {
	step := s.Piece.Steps[i]
	w := s.lastWrite(step.Target)
	if w != s.saw[i] || w == reorder.None || !s.Piece.Recorded {
		return w == s.saw[i]
	}
	by := s.Piece.Steps[w]
	return by.Thread == step.Thread || by.Atomic || !s.openBlock(w)
}

// letsGo reports whether a step is the release of a lock by a thread whose last read is broken.
func (s *Search) letsGo(i int32) bool {
	op := s.Piece.Steps[i].Op
	return s.Piece.Recorded && (op == reorder.Unlock || op == reorder.RUnlock)
}

// openBlock reports whether the block of a step isn't over: its last step isn't made, or a read in
// it is broken.
func (s *Search) openBlock(i int32) bool {
	thread := s.Piece.Steps[i].Thread
	end := len(s.Piece.Steps)
	for j := end - 1; j >= int(i); j-- {
		if f := s.Piece.Steps[j]; f.Thread == thread && f.Closes {
			end = j
		}
	}
	if end == len(s.Piece.Steps) || !s.made[end] {
		return true
	}
	if !s.stopped[thread] {
		return false
	}
	for _, j := range slices.Backward(s.order) { // the last one that isn't a release is broken
		if s.Piece.Steps[j].Thread == thread && !s.letsGo(j) {
			for k := j; int(k) <= end; k++ {
				if f := s.Piece.Steps[k]; f.Thread == thread && f.Closes {
					return int(k) == end
				}
			}
			return false
		}
	}
	return true
}

// spoilt reports whether another thread has come between the steps of the block that a step is in:
// it made a conflicting access after one of them.
func (s *Search) spoilt(i int32) bool {
	thread := s.Piece.Steps[i].Thread
	for n, j := range s.order {
		e := s.Piece.Steps[j]
		if e.Thread != thread || !s.openBlock(j) || !accesses(e) {
			continue
		}
		for _, k := range s.order[n+1:] {
			f := s.Piece.Steps[k]
			if f.Thread != thread && accesses(f) && f.Target == e.Target &&
				(e.Op == reorder.Write || f.Op == reorder.Write) {
				return true
			}
		}
	}
	return false
}

func accesses(e reorder.Step) bool {
	return (e.Op == reorder.Read || e.Op == reorder.Write) && !e.Atomic
}

// overtaken reports whether an operation on an object was made that came later in the trace, unless
// it is known of both on which object they are. Two of a kind may change places if they only
// acquire, or only merge.
func (s *Search) overtaken(i int32) bool {
	object := func(op reorder.Op) bool { return op >= reorder.Acquire && op <= reorder.Release }
	e := s.Piece.Steps[i]
	return object(e.Op) && slices.ContainsFunc(s.order, func(j int32) bool {
		f := s.Piece.Steps[j]
		return j > i && object(f.Op) && !(e.Named && f.Named) && (e.Op != f.Op || e.Op == reorder.Release)
	})
}
