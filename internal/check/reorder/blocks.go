// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"slices"

	"github.com/commutego/commute/internal/check/table"
)

// Blocks finds where the threads of a recorded trace meet in blocks: a thread reads what another is
// still writing, or goes on where another has come between. What it saw depends on accesses that
// are left out, so these steps are fixed.
type Blocks struct {
	threads []openBlock
	vars    []blockPast
}

// An openBlock is a thread's present block.
type openBlock struct {
	number uint32 // counted from 1
	spoilt bool   // another thread has come between
}

// A blockPast is who has accessed a variable last.
type blockPast struct {
	writer accessor
	reads  []accessor
	others []accessor // those that had written it when their blocks were open
	unsure bool       // one of those may have written it last: a write that is left out
}

// An accessor is a thread, and its block.
type accessor struct{ thread, block uint32 }

// Add takes the next step, and makes it fixed if need be.
func (b *Blocks) Add(s *Step) {
	b.threads = table.Grow(b.threads, s.Thread)
	t := &b.threads[s.Thread]
	if t.number == 0 {
		t.number = 1
	}
	if t.spoilt {
		s.Fixed = true
	}
	if (s.Op == Read || s.Op == Write) && !s.Atomic {
		b.access(s)
	}
	if t = &b.threads[s.Thread]; s.Closes {
		t.number++
		t.spoilt = false
	}
}

// Split is told that a variable was a part of another.
func (b *Blocks) Split(part, from uint32) {
	b.vars = table.Grow(b.vars, max(part, from))
	v := &b.vars[from]
	b.vars[part] = blockPast{
		v.writer, slices.Clone(v.reads), slices.Clone(v.others), v.unsure,
	}
}

func (b *Blocks) access(s *Step) {
	b.vars = table.Grow(b.vars, s.Target)
	v := &b.vars[s.Target]
	me := accessor{s.Thread, b.threads[s.Thread].number}
	if b.meets(v.writer, s.Thread) {
		b.threads[v.writer.thread].spoilt = true
		b.threads[s.Thread].spoilt = true // it may be written again, and read again here
		if s.Op == Read || s.Reads {
			s.Fixed = true
		}
	}
	if v.unsure {
		b.threads[s.Thread].spoilt = true
		if s.Op == Read || s.Reads {
			s.Fixed = true
		}
	}
	if s.Op == Write {
		v.others = slices.DeleteFunc(append(v.others, v.writer), func(a accessor) bool {
			return !b.meets(a, s.Thread)
		})
		v.unsure = len(v.others) > 0
		for _, r := range v.reads {
			if b.meets(r, s.Thread) {
				b.threads[r.thread].spoilt = true
			}
		}
		v.writer = me
		v.reads = v.reads[:0]
		return
	}
	for i := range v.reads {
		if v.reads[i].thread == s.Thread {
			v.reads[i] = me
			return
		}
	}
	v.reads = append(v.reads, me)
}

// meets reports whether an accessor's block is open, and another thread's.
func (b *Blocks) meets(a accessor, thread uint32) bool {
	return a.block != 0 && a.thread != thread && b.threads[a.thread].number == a.block
}

// blocks finds the blocks of a segment.
func (s *Segment) blocks() {
	n := len(s.Steps)
	s.BlockFrom, s.BlockEnd = make([]int32, n), make([]int32, n)
	s.lastSync = filled(s.Threads)
	for t, list := range s.Of {
		from := 0
		for at, i := range list {
			s.BlockFrom[i], s.BlockEnd[i] = int32(from), None
			if s.Steps[i].object() {
				s.lastSync[t] = int32(at)
			}
			if s.Steps[i].Closes {
				for _, j := range list[from : at+1] {
					s.BlockEnd[j] = int32(at)
				}
				from = at + 1
			}
		}
	}
}

// object reports whether a step is an operation on an object of synchronization.
func (s *Step) object() bool { return s.Op >= Acquire && s.Op <= Release }

// plain reports whether a step is an access of which others like it may be left out.
func (s *Step) plain() bool { return (s.Op == Read || s.Op == Write) && !s.Atomic }

// Opens reports whether a thread of which so many steps were made is in a block, and has accessed
// there what step i accesses, so that the two conflict.
func (s *Segment) Opens(i, thread, made int32) bool {
	if !s.Recorded || !s.Steps[i].plain() || made == 0 {
		return false
	}
	last := s.Of[thread][made-1]
	if s.Steps[last].Closes {
		return false
	}
	c := s.cellOf(s.Target[i], thread)
	if c == nil {
		return false
	}
	in := func(list []int32) bool {
		n := below(list, made)
		return n > 0 && list[n-1] >= s.BlockFrom[last]
	}
	return in(c.writes) || s.Steps[i].Op == Write && in(c.reads)
}

// Source is the step that has to be made for a read to see what it saw: the write, or in a recorded
// trace the end of the write's block. It is None if the write was before the piece.
func (s *Segment) Source(i int32) int32 {
	w := s.From[i]
	if w == None || !s.foreign(i, w) || s.BlockEnd[w] == None {
		return w
	}
	if end := s.Of[s.Thread[w]][s.BlockEnd[w]]; end < i {
		return end
	}
	return w
}

// foreign reports whether a read's write is in a block of another thread.
func (s *Segment) foreign(i, w int32) bool {
	return s.Recorded && s.Thread[w] != s.Thread[i] && s.Steps[w].plain()
}

// words are the variables that are accessed plainly and in other ways, too: as a mutex, say.
type words struct {
	accesses, others map[uint32][]int32 // the last of each thread
}

// newWords is nil if there are no such variables.
func (s *Segment) newWords() *words {
	var w *words
	for i := range s.Steps {
		if v := s.Steps[i].Also; v != 0 {
			if w == nil {
				w = &words{make(map[uint32][]int32), make(map[uint32][]int32)}
			}
			w.others[v-1] = nil
		}
	}
	return w
}

// order adds a step, and returns those that it comes after.
func (w *words) order(s *Segment, i int32) (needs []int32) {
	step := &s.Steps[i]
	if v := step.Also; v != 0 {
		needs = append(needs, w.accesses[v-1]...)
		w.others[v-1] = s.replace(w.others[v-1], i)
	}
	if step.Op != Read && step.Op != Write {
		return needs
	}
	if list, ok := w.others[step.Target]; ok {
		needs = append(needs, list...)
		w.accesses[step.Target] = s.replace(w.accesses[step.Target], i)
	}
	return needs
}
