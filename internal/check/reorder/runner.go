// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

// A Runner makes the steps of a segment in another order, and takes them back.
type Runner struct {
	*Segment
	Made   Cut
	Broken []bool  // by thread
	Limit  Cut     // how far threads may go; nil: to their ends
	Writer []int32 // by variable: the last write, or None

	held []int32 // by lock: readers, or exclusive
	log  []made
}

// exclusive stands for one that holds a lock alone.
const exclusive = -1

// A made step can be taken back.
type made struct {
	step, writer int32
}

// NewRunner makes a runner at the beginning of the segment, after what was before the piece.
func NewRunner(s *Segment) *Runner {
	r := &Runner{
		Segment: s, Made: make(Cut, s.Threads), Broken: make([]bool, s.Threads),
		Writer: filled(s.Vars), held: make([]int32, s.Locks),
	}
	r.begin()
	return r
}

func (r *Runner) begin() {
	for i := range r.Before {
		r.Do(int32(i), false)
	}
}

// Reset takes all back.
func (r *Runner) Reset() {
	for len(r.log) > r.Before {
		r.Undo()
	}
}

// Len is how many steps were made.
func (r *Runner) Len() int { return len(r.log) }

// Order is the steps that were made.
func (r *Runner) Order() []int32 {
	list := make([]int32, len(r.log))
	for n := range r.log {
		list[n] = r.log[n].step
	}
	return list
}

// Step is the next step of a thread, if it can be made now. If it breaks, it is a read that sees
// another write than in the trace, and the last step of its thread.
func (r *Runner) Step(thread int32) (i int32, breaks, ok bool) {
	if r.Broken[thread] || r.Limit != nil && r.Made[thread] >= r.Limit[thread] {
		return None, false, false
	}
	i = r.Next(thread, r.Made[thread])
	if i == None {
		return None, false, false
	}
	for _, j := range r.Needs(i) {
		if r.Made[r.Thread[j]] <= r.Pos[j] {
			return None, false, false
		}
	}
	x := r.Target[i]
	switch r.Steps[i].Op {
	case Read:
		return i, r.Writer[x] != r.From[i], true
	case Lock:
		ok = r.held[x] == 0
	case RLock:
		ok = r.held[x] != exclusive
	case Unlock:
		ok = r.held[x] == exclusive
	case RUnlock:
		ok = r.held[x] > 0
	case Join:
		ok = x == None || !r.Broken[x] && int(r.Made[x]) == len(r.Of[x])
	case Untold:
		ok = len(r.log) == int(i) // all that it needs, and no more
	default:
		ok = true
	}
	return i, false, ok
}

// Do makes a step that [Runner.Step] has returned.
func (r *Runner) Do(i int32, breaks bool) {
	t, x := r.Thread[i], r.Target[i]
	m := made{step: i}
	r.Made[t]++
	switch r.Steps[i].Op {
	case Write:
		m.writer, r.Writer[x] = r.Writer[x], i
	case Read:
		r.Broken[t] = breaks
	case Lock:
		r.held[x] = exclusive
	case RLock:
		r.held[x]++
	case Unlock:
		r.held[x] = 0
	case RUnlock:
		r.held[x]--
	}
	r.log = append(r.log, m)
}

// Undo takes the last step back.
func (r *Runner) Undo() {
	m := r.log[len(r.log)-1]
	r.log = r.log[:len(r.log)-1]
	t, x := r.Thread[m.step], r.Target[m.step]
	r.Made[t]--
	switch r.Steps[m.step].Op {
	case Write:
		r.Writer[x] = m.writer
	case Read:
		r.Broken[t] = false
	case Lock:
		r.held[x] = 0
	case RLock:
		r.held[x]--
	case Unlock:
		r.held[x] = exclusive
	case RUnlock:
		r.held[x]++
	}
}

// To makes the steps below a cut that were not made, in the trace's order. It reports false if one
// of them can't be made, or breaks.
func (r *Runner) To(cut Cut) bool {
	for i := range r.Steps {
		t := r.Thread[i]
		if r.Pos[i] >= cut[t] || r.Pos[i] < r.Made[t] {
			continue
		}
		if j, breaks, ok := r.Step(t); !ok || breaks || j != int32(i) {
			return false
		}
		r.Do(int32(i), false)
	}
	return true
}

// Rest makes all that can be made, in the trace's order as far as that goes; then those reads that
// break.
func (r *Runner) Rest() {
	for {
		n := r.Len()
		r.pass(false)
		if r.Len() == n {
			break
		}
	}
	r.pass(true)
}

func (r *Runner) pass(breaking bool) {
	for i := range r.Steps {
		t := r.Thread[i]
		if r.Made[t] != r.Pos[i] {
			continue
		}
		if j, breaks, ok := r.Step(t); ok && breaks == breaking {
			r.Do(j, breaks)
		}
	}
}
