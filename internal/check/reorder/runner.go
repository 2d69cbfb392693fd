// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

// A Runner makes the steps of a segment in another order, and can undo them.
type Runner struct {
	*Segment
	Made   Cut
	Broken []bool  // by thread
	Limit  Cut     // the number of steps that each thread may make; nil: all
	Writer []int32 // by variable: the last write, or None

	// Stopped has the threads of a recorded trace that stop in their blocks: another thread has
	// come between their accesses, and some accesses may be left out.
	Stopped []bool

	brokenAt []int32 // by thread: the last read
	held     []int32 // by lock: readers, or exclusive
	log      []made
	same     int                // so many steps were made as in the trace
	latest   [Release + 1]int32 // of a recorded trace: the greatest operation of each kind
	unnamed  [Release + 1]int32 // the same of those of which the object isn't known
	stopped  []int32            // the threads that were, in that order
}

// exclusive stands for one that holds a lock alone.
const exclusive = -1

// A made step can be taken back.
type made struct {
	step, writer int32
	latest       int32
	unnamed      int32
	same, stops  int32
	wasStopped   bool
}

// NewRunner makes a runner at the beginning of the segment, after the piece's first Before steps.
func NewRunner(s *Segment) *Runner {
	r := &Runner{
		Segment: s, Made: make(Cut, s.Threads), Broken: make([]bool, s.Threads),
		Writer: filled(s.Vars), held: make([]int32, s.Locks), Stopped: make([]bool, s.Threads),
		brokenAt: make([]int32, s.Threads),
	}
	for op := range r.latest {
		r.latest[op], r.unnamed[op] = None, None
	}
	r.begin()
	return r
}

func (r *Runner) begin() {
	for i := range r.Before {
		r.Do(int32(i), false)
	}
}

// Reset undoes all steps.
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
	if r.Limit != nil && r.Made[thread] >= r.Limit[thread] {
		return None, false, false
	}
	i = r.Next(thread, r.Made[thread])
	if i == None || r.Broken[thread] && !(r.Recorded && r.Steps[i].letsGo()) {
		return None, false, false
	}
	if r.Steps[i].fixed() {
		return i, false, r.same == int(i) && r.Followed()
	}
	if r.Stopped[thread] {
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
		return i, !r.Sees(i), true
	case Write:
		ok = !r.Steps[i].Reads || r.Sees(i)
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
	case Acquire, Merge, Release:
		ok = !r.Recorded || r.inOrder(i)
	default:
		ok = true
	}
	return i, false, ok
}

// Sees reports whether a step would see the write that it saw in the trace. A write in a block that
// isn't over may be followed by others of that block.
func (r *Runner) Sees(i int32) bool {
	w := r.Writer[r.Target[i]]
	if w != r.From[i] {
		return false
	}
	if w == None || !r.foreign(i, w) {
		return true
	}
	u := r.Thread[w]
	if r.BlockEnd[w] == None || r.Made[u] <= r.BlockEnd[w] {
		return false
	}
	return !r.Broken[u] || r.BlockEnd[r.brokenAt[u]] != r.BlockEnd[w]
}

// inOrder reports whether no later operation of a recorded trace was made that may be on the same
// object, as it isn't known which that one is on, or which this one. (What is known of both is in
// what steps need.)
func (r *Runner) inOrder(i int32) bool {
	latest := &r.latest
	if r.Steps[i].Named {
		latest = &r.unnamed
	}
	for op := Acquire; op <= Release; op++ {
		if latest[op] > i && (op != r.Steps[i].Op || op == Release) {
			return false
		}
	}
	return true
}

// Do makes a step that [Runner.Step] has returned.
func (r *Runner) Do(i int32, breaks bool) {
	t, x := r.Thread[i], r.Target[i]
	m := made{step: i, same: int32(r.same)}
	if r.same == len(r.log) && r.same == int(i) {
		r.same++
	}
	if r.Recorded {
		r.block(&m)
	}
	r.Made[t]++
	switch r.Steps[i].Op {
	case Write:
		m.writer, r.Writer[x] = r.Writer[x], i
	case Read:
		r.Broken[t], r.brokenAt[t] = breaks, i
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

// block is Do for the blocks of a recorded trace, and for the order of its operations.
func (r *Runner) block(m *made) {
	i := m.step
	t, step := r.Thread[i], &r.Steps[i]
	if step.object() {
		m.latest, m.unnamed = r.latest[step.Op], r.unnamed[step.Op]
		r.latest[step.Op] = max(m.latest, i)
		if !step.Named {
			r.unnamed[step.Op] = max(m.unnamed, i)
		}
	}
	if step.plain() {
		for u := range int32(r.Threads) {
			if u != t && !r.Stopped[u] && r.Opens(i, u, r.Made[u]) {
				r.Stopped[u] = true
				r.stopped = append(r.stopped, u)
				m.stops++
			}
		}
	}
	if m.wasStopped = r.Stopped[t]; step.Closes {
		r.Stopped[t] = false
	}
}

// unblock takes back what block did.
func (r *Runner) unblock(m *made) {
	if step := &r.Steps[m.step]; step.object() {
		r.latest[step.Op], r.unnamed[step.Op] = m.latest, m.unnamed
	}
	for ; m.stops > 0; m.stops-- {
		n := len(r.stopped) - 1
		r.Stopped[r.stopped[n]] = false
		r.stopped = r.stopped[:n]
	}
	r.Stopped[r.Thread[m.step]] = m.wasStopped
}

// Followed reports whether the trace was followed so far.
func (r *Runner) Followed() bool { return r.same == len(r.log) }

// Undo undoes the last step.
func (r *Runner) Undo() {
	m := r.log[len(r.log)-1]
	r.log = r.log[:len(r.log)-1]
	t, x := r.Thread[m.step], r.Target[m.step]
	r.same = int(m.same)
	if r.Recorded {
		r.unblock(&m)
	}
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

// Rest makes all steps that can be made, in the trace's order where possible; then the reads that
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
