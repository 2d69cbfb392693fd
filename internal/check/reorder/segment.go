// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import "github.com/commutego/commute/internal/event"

// None is a step, or the number of a transaction, that isn't there.
const None = -1

// A Segment is a piece in a form for searches: all numbers are local, dense, and 32 bits wide.
// Slices are by step unless they say something else.
type Segment struct {
	*Piece
	Relation *event.Relation

	Threads, Vars, Locks, Objects int // how many there are

	Thread []int32
	Pos    []int32 // among the steps of the thread
	Target []int32 // the variable, lock, object, or thread, which is None if it has no step
	From   []int32 // of a read: the write that it saw, None if that was before the piece
	Mate   []int32 // the end or the beginning of a section; None if it is not in the piece
	Start  []int32 // Pos of the first step of its transaction, of one outside of all its own
	Marked []bool  // it is in a marked transaction, or begins or ends it

	// Of recorded traces:
	BlockFrom []int32 // Pos of the first step of its block
	BlockEnd  []int32 // Pos of the last step of its block, None if it is not in the piece
	lastSync  []int32 // by thread: Pos of its last operation on an object of synchronization

	Of   [][]int32 // by thread: its steps
	Born []int32   // by thread: its fork, or None

	cells    []cell    // what threads do to variables
	accessed [][]int32 // by variable: its cells
	touched  [][]int32 // by object: its touches
	needs    []int32   // what steps come after directly: needs[needed[i]:needed[i+1]] of i
	needed   []int32
	takers   [][]int32 // by lock times Threads plus thread: the positions of takings
	syncs    int       // objects of synchronization
	local    numbering // of threads
}

// NewSegment makes a segment of a piece. It takes O(n) time, and for each step the memory of the
// slices above.
func NewSegment(p *Piece, relation *event.Relation) *Segment {
	n := len(p.Steps)
	s := &Segment{Piece: p, Relation: relation}
	block := make([]int32, 7*n+1)
	for _, list := range []*[]int32{&s.Thread, &s.Pos, &s.Target, &s.From, &s.Mate, &s.Start} {
		*list, block = block[:n:n], block[n:]
	}
	s.needed, s.Marked = block, make([]bool, n)
	s.number()
	s.pair()
	s.need()
	if p.Recorded {
		s.blocks()
	}
	return s
}

// number gives local numbers to all that has some, and lists what each has.
func (s *Segment) number() {
	var threads, vars, locks, objects, syncs numbering
	count := make([]int32, 0, 16) // by thread
	for i := range s.Steps {
		t := threads.of(s.Steps[i].Thread)
		if int(t) == len(count) {
			count = append(count, 0)
		}
		s.Thread[i], s.Pos[i] = t, count[t]
		count[t]++
	}
	s.Of = split(count)
	for i, t := range s.Thread {
		s.Of[t][s.Pos[i]] = int32(i)
	}
	s.Threads = threads.n
	s.local = threads
	s.Born = make([]int32, s.Threads)
	for t := range s.Born {
		s.Born[t] = None
	}
	for i := range s.Steps {
		switch step := &s.Steps[i]; step.Op {
		case Read, Write:
			v := vars.of(step.Target)
			if int(v) == s.Vars {
				s.Vars++
				s.accessed = append(s.accessed, nil)
			}
			s.Target[i] = v
			x := s.cellOf(v, s.Thread[i])
			if x == nil {
				s.accessed[v] = append(s.accessed[v], int32(len(s.cells)))
				s.cells = append(s.cells, cell{thread: s.Thread[i]})
				x = &s.cells[len(s.cells)-1]
			}
			x.count[step.Op-Read]++
		case Lock, Unlock, RLock, RUnlock:
			l := locks.of(step.Target)
			if int(l) == s.Locks {
				s.Locks++
				s.takers = append(s.takers, make([][]int32, s.Threads)...)
			}
			s.Target[i] = l
			if step.Op == Lock || step.Op == RLock {
				list := &s.takers[s.taker(l, s.Thread[i])]
				*list = append(*list, s.Pos[i])
			}
		case Fork, Join:
			s.Target[i] = None
			if t, ok := threads.get(step.Target); ok {
				s.Target[i] = t
				if step.Op == Fork {
					s.Born[t] = int32(i)
				}
			}
		case Touch:
			o := objects.of(step.Target)
			if int(o) == s.Objects {
				s.Objects++
				s.touched = append(s.touched, nil)
			}
			s.Target[i] = o
			s.touched[o] = append(s.touched[o], int32(i))
		case Acquire, Merge, Release:
			s.Target[i] = syncs.of(step.Target)
		}
	}
	s.syncs = syncs.n
	s.fill()
}

// split is a list of each length, with no room for more, in one block.
func split(lengths []int32) [][]int32 {
	n := int32(0)
	for _, length := range lengths {
		n += length
	}
	block, lists := make([]int32, n), make([][]int32, len(lengths))
	for i, length := range lengths {
		lists[i], block = block[:length:length], block[length:]
	}
	return lists
}

// A cell is the positions of what a thread does to a variable. What reads and writes is a write.
type cell struct {
	thread        int32
	count         [2]int32 // how many reads and writes there are
	reads, writes []int32
}

// fill fills the cells.
func (s *Segment) fill() {
	n := int32(0)
	for c := range s.cells {
		n += s.cells[c].count[0] + s.cells[c].count[1]
	}
	block := make([]int32, n)
	for c := range s.cells {
		x := &s.cells[c]
		r, n := x.count[0], x.count[0]+x.count[1]
		x.reads, x.writes, block = block[:0:r], block[r:r:n], block[n:]
	}
	for i := range s.Steps {
		switch s.Steps[i].Op {
		case Read:
			x := s.cellOf(s.Target[i], s.Thread[i])
			x.reads = append(x.reads, s.Pos[i])
		case Write:
			x := s.cellOf(s.Target[i], s.Thread[i])
			x.writes = append(x.writes, s.Pos[i])
		}
	}
}

// cellOf is the cell of a thread and a variable, nil if there is none.
func (s *Segment) cellOf(variable, thread int32) *cell {
	for _, c := range s.accessed[variable] {
		if s.cells[c].thread == thread {
			return &s.cells[c]
		}
	}
	return nil
}

// taker is the index of a lock and a thread in takers.
func (s *Segment) taker(lock, thread int32) int { return int(lock)*s.Threads + int(thread) }

// pair finds what belongs together: reads and writes, takings and releases of locks, the steps of
// transactions.
func (s *Segment) pair() {
	writer := filled(s.Vars)
	start := filled(s.Threads)
	taken := make(map[[2]int32][]int32) // by lock, and by thread if it is shared: takings
	for i := range s.Steps {
		t := s.Thread[i]
		s.From[i], s.Mate[i] = None, None
		switch step := &s.Steps[i]; step.Op {
		case Read:
			s.From[i] = writer[s.Target[i]]
		case Write:
			if step.Reads {
				s.From[i] = writer[s.Target[i]]
			}
			writer[s.Target[i]] = int32(i)
		case Lock, RLock:
			key := s.holder(i)
			taken[key] = append(taken[key], int32(i))
		case Unlock, RUnlock:
			key := s.holder(i)
			if list := taken[key]; len(list) > 0 {
				from := list[len(list)-1]
				taken[key] = list[:len(list)-1]
				s.Mate[i], s.Mate[from] = from, int32(i)
			}
		case Begin:
			start[t] = s.Pos[i]
		}
		s.Start[i] = s.Pos[i]
		if s.Marked[i] = start[t] != None; s.Marked[i] {
			s.Start[i] = start[t]
		}
		if s.Steps[i].Op == End {
			start[t] = None
		}
	}
}

// holder stands for a lock that is held alone, by whichever thread, or for a reader's part in it.
func (s *Segment) holder(i int) [2]int32 {
	if op := s.Steps[i].Op; op == Lock || op == Unlock {
		return [2]int32{s.Target[i], None}
	}
	return [2]int32{s.Target[i], s.Thread[i]}
}

func filled(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = None
	}
	return list
}

// need finds what each step comes after directly, beside its thread's previous step, what it reads
// and what it joins.
func (s *Segment) need() {
	before := make([]syncPast, s.syncs)
	touches := make(map[[2]int32][]int32) // by object and point: the last of each thread
	words := s.newWords()
	for i := range s.Steps {
		s.needed[i] = int32(len(s.needs))
		step, t := &s.Steps[i], s.Thread[i]
		if s.Pos[i] == 0 && s.Born[t] != None {
			s.needs = append(s.needs, s.Born[t])
		}
		switch step.Op {
		case Acquire, Merge, Release:
			s.needs = append(s.needs, s.order(&before[s.Target[i]], int32(i))...)
		case Touch:
			for _, q := range s.Relation.Conflicts(step.Point) {
				s.needs = append(s.needs, touches[[2]int32{s.Target[i], int32(q)}]...)
			}
			key := [2]int32{s.Target[i], int32(step.Point)}
			touches[key] = s.replace(touches[key], int32(i))
		}
		if words != nil {
			s.needs = append(s.needs, words.order(s, int32(i))...)
		}
		if step.After != 0 {
			if u, ok := s.local.get(step.After - 1); ok {
				if j := s.lastBefore(u, int32(i)); j != None {
					s.needs = append(s.needs, j)
				}
			}
		}
		if step.fixed() {
			for u := range s.Of {
				if j := s.lastBefore(int32(u), int32(i)); j != None {
					s.needs = append(s.needs, j)
				}
			}
		}
	}
	s.needed[len(s.Steps)] = int32(len(s.needs))
}

// replace puts a thread's step in the place of its earlier one.
func (s *Segment) replace(list []int32, i int32) []int32 {
	for n, j := range list {
		if s.Thread[j] == s.Thread[i] {
			list[n] = i
			return list
		}
	}
	return append(list, i)
}

// lastBefore is a thread's last step before step i, or None.
func (s *Segment) lastBefore(thread, i int32) int32 {
	list := s.Of[thread]
	n := below(list, i)
	if n == 0 {
		return None
	}
	return list[n-1]
}

// below is how many elements of a sorted list are less than x.
func below(list []int32, x int32) int {
	lo, hi := 0, len(list)
	for lo < hi {
		if m := (lo + hi) / 2; list[m] < x {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo
}

// A syncPast is the operations on an object of synchronization that later ones come after.
type syncPast struct {
	release, acquires, merges []int32 // the last of each thread since the last release
}

// order adds an operation, and returns those that it comes after.
func (s *Segment) order(p *syncPast, i int32) (needs []int32) {
	needs = append(needs, p.release...)
	op := s.Steps[i].Op
	if op != Acquire {
		needs = append(needs, p.acquires...)
	}
	if op != Merge {
		needs = append(needs, p.merges...)
	}
	switch op {
	case Acquire:
		p.acquires = s.replace(p.acquires, i)
	case Merge:
		p.merges = s.replace(p.merges, i)
	case Release:
		p.release, p.acquires, p.merges = []int32{i}, nil, nil
	}
	return needs
}

// Needs lists the steps that step i comes directly after. It leaves out its thread's previous step,
// the write that it reads, and the steps of a thread that it joins.
func (s *Segment) Needs(i int32) []int32 { return s.needs[s.needed[i]:s.needed[i+1]] }

// Next is the next step of a thread that has made so many steps, or None.
func (s *Segment) Next(thread, made int32) int32 {
	if int(made) == len(s.Of[thread]) {
		return None
	}
	return s.Of[thread][made]
}
