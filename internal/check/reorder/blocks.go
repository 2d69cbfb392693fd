// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"cmp"
	"slices"

	"github.com/commutego/commute/internal/check/table"
)

// Blocks finds where the threads of a recorded trace meet in blocks: a thread reads a variable that
// another one is still writing, or goes on after another thread has come between its accesses. What
// such a thread saw depends on accesses that are left out, so these steps are fixed.
type Blocks struct {
	threads []openBlock
	places  []uint32    // by variable: its place in vars, from 1
	vars    []blockPast // of those that matter: see sweep
	limit   int         // of vars, until they are swept
	least   int         // the least limit; 0: leastVars
}

// An openBlock is a thread's present block.
type openBlock struct {
	number uint32 // counted from 1
	spoilt bool   // another thread has come between
}

// A blockPast is who has accessed a variable last. There may be very many.
type blockPast struct {
	variable uint32
	unsure   bool // one of the others may have written it last: a write that is left out
	writer   accessor
	reader   accessor  // the first since the last write
	more     *morePast // nil if there is no more
}

// A morePast is what few variables have.
type morePast struct {
	reads  []accessor // since the last write, but the first
	others []accessor // those that had written it when their blocks were open
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

// Split notes that a variable was a part of another.
func (b *Blocks) Split(part, from uint32) {
	v := *b.variable(from)
	v.variable = part
	if v.more != nil {
		v.more = &morePast{slices.Clone(v.more.reads), slices.Clone(v.more.others)}
	}
	*b.variable(part) = v
}

// variable is what is known of a variable. It is good until the next call.
func (b *Blocks) variable(x uint32) *blockPast {
	b.places = table.Grow(b.places, x)
	if b.places[x] == 0 {
		if len(b.vars) >= max(b.limit, cmp.Or(b.least, leastVars)) {
			b.sweep()
		}
		b.vars = append(b.vars, blockPast{variable: x})
		b.places[x] = uint32(len(b.vars))
	}
	return &b.vars[b.places[x]-1]
}

// leastVars is how many variables are kept in any case.
const leastVars = 1024

// sweep forgets the variables of which nothing matters any more: all blocks are over in which they
// were accessed. Most variables of a program are such.
func (b *Blocks) sweep() {
	over := func(a accessor) bool { return a.block == 0 || b.threads[a.thread].number != a.block }
	kept := b.vars[:0]
	for i := range b.vars {
		v := &b.vars[i]
		b.places[v.variable] = 0
		if m := v.more; m != nil {
			m.reads, m.others = slices.DeleteFunc(m.reads, over), slices.DeleteFunc(m.others, over)
			if len(m.reads)+len(m.others) == 0 {
				v.more = nil
			}
		}
		if v.unsure || !over(v.writer) || !over(v.reader) || v.more != nil {
			kept = append(kept, *v)
			b.places[v.variable] = uint32(len(kept))
		}
	}
	clear(b.vars[len(kept):])
	b.vars, b.limit = kept, 2*len(kept)
}

func (b *Blocks) access(s *Step) {
	v := b.variable(s.Target)
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
		b.write(v, me)
		return
	}
	if v.reader == (accessor{}) || v.reader.thread == s.Thread {
		v.reader = me
		return
	}
	m := v.has()
	for i := range m.reads {
		if m.reads[i].thread == s.Thread {
			m.reads[i] = me
			return
		}
	}
	m.reads = append(m.reads, me)
}

// has makes room for more.
func (v *blockPast) has() *morePast {
	if v.more == nil {
		v.more = new(morePast)
	}
	return v.more
}

// write is a write of a variable.
func (b *Blocks) write(v *blockPast, me accessor) {
	spoil := func(r accessor) {
		if b.meets(r, me.thread) {
			b.threads[r.thread].spoilt = true
		}
	}
	spoil(v.reader)
	if b.meets(v.writer, me.thread) {
		v.has().others = append(v.has().others, v.writer)
	}
	if m := v.more; m != nil {
		for _, r := range m.reads {
			spoil(r)
		}
		m.reads = m.reads[:0]
		m.others = slices.DeleteFunc(m.others, func(a accessor) bool {
			return !b.meets(a, me.thread)
		})
	}
	v.unsure = v.more != nil && len(v.more.others) > 0
	v.writer, v.reader = me, accessor{}
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

// Opens reports whether a thread that has made so many steps is in a block, with an access in it
// that conflicts with step i.
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

// Source is the step that must be made before a read can see the same write as in the trace: the
// write, or in a recorded trace the end of the write's block. It is None if the write was before
// the piece.
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
