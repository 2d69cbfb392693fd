// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

// confirm finds out whether A can go on to Second now, for a candidate whose Other is known. It
// can if the locks that it needs are free in the witness, and if what it read there is unchanged.
// If a lock is held by a thread that the witness keeps, the candidate waits for the release. If
// the witness leaves a thread inside of the lock, the candidate is dropped.
func (r *registry) confirm(p *Predictor, x *candidate) {
	g := r.indexOf(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.present(l.writerLeft)>>g&1 != 0 ||
			need&1 == 0 && r.present(l.readerLeft)>>g&1 != 0 {
			r.drop(g)
			return
		}
		if l.writeHeld && r.present(l.writerDependsOn)>>g&1 == 0 || need&1 == 0 && l.readers > 0 {
			return // releaseLock asks again
		}
	}
	if !x.unchanged(p) {
		r.drop(g)
		return
	}
	r.markFound(x)
}

// unchanged reports whether what A read between the cut and Second is as it was, in the witness.
func (x *candidate) unchanged(p *Predictor) bool {
	for i := range x.reads[:x.nReads] {
		if s := &x.reads[i]; !s.dependentWrite && p.Last(s.addr) != s.last {
			return false
		}
	}
	return true
}

// confirmRead reports whether a read by t, the Other of x, can be followed by Second as soon as t
// releases its locks. The read may be of another value than it was, so nothing else is known of
// what t does then. It is only assumed that t releases its locks. If Second waits for nothing
// else, t can change nothing before it.
func (r *registry) confirmRead(p *Predictor, x *candidate, t *Thread) bool {
	g := r.indexOf(x)
	for _, need := range x.needs[:x.nNeeds] {
		l := r.locks.find(need &^ 1)
		if l == nil || r.present(l.writerLeft)>>g&1 != 0 ||
			need&1 == 0 && r.present(l.readerLeft)>>g&1 != 0 {
			return false
		}
		// The locks that t holds don't count: it is about to release them.
		held, read := false, uint32(0)
		for _, h := range t.held[:t.nHeld] {
			held = held || h.lock == need&^1
			if h.lock == need|1 {
				read = 1
			}
		}
		if l.writeHeld && !held && r.present(l.writerDependsOn)>>g&1 == 0 ||
			need&1 == 0 && l.readers > read {
			return false
		}
	}
	return x.unchanged(p)
}

// markFound makes a candidate a prediction.
func (r *registry) markFound(x *candidate) {
	x.found = true
	r.found.Add(1)
}
