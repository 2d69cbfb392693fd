// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "testing"

// TestPredictionsAreFeasible checks that the oracle finds an interleaving for each prediction.
func TestPredictionsAreFeasible(t *testing.T) {
	n := 200_000
	if testing.Short() {
		n = 10_000
	}
	predicted, valuesDiffer, otherReads, sites := 0, 0, 0, 0
	var crossed [2]int // of two variables: Entry comes before Other, and after it
	for seed := range uint64(n) {
		s := run(seed, func(s *script, p Prediction) {
			predicted++
			if p.ValuesDiffer {
				valuesDiffer++
			}
			if p.OtherReads {
				otherReads++
			}
			x := shapeOf(&p)
			if x.entry < x.other {
				crossed[0]++
			} else if x.entry > x.other {
				crossed[1]++
			}
			if !x.conflicts(s.trace) || !feasible(s.trace, x) {
				t.Fatalf("seed %d: no interleaving has %+v (values differ: %v)\n%v",
					seed, x, p.ValuesDiffer, show(s.trace))
			}
		})
		sites += len(s.trace)
		s.finish()
	}
	t.Logf("%d predictions in %d traces of %d events; in %d values differ, in %d the other reads; "+
		"%d are of two variables", predicted, n, sites/n, valuesDiffer, otherReads, crossed)
	if crossed[0] < n/2000 || crossed[1] < n/20000 {
		t.Errorf("only %d are of two variables", crossed)
	}
	if predicted < n/500 || valuesDiffer == 0 || otherReads == 0 {
		t.Errorf("only %d predictions; in %d values differ, in %d the other reads",
			predicted, valuesDiffer, otherReads)
	}
}

// TestPredictionsAreMany counts what is not predicted. It asks the oracle for each variable that a
// transaction accesses twice: is there an interleaving with another thread's access in between?
func TestPredictionsAreMany(t *testing.T) {
	type what = struct{ t, v int }
	possible, got := 0, 0
	for seed := range uint64(20_000) {
		predicted := make(map[what]bool)
		s := run(seed, func(s *script, p Prediction) {
			predicted[what{s.trace[p.Second.Site].t, s.trace[p.Second.Site].arg}] = true
		})
		for w := range s.interferable() {
			possible++
			if predicted[w] {
				got++
			}
		}
		s.finish()
	}
	t.Logf("%d of %d that are possible are predicted", got, possible)
	if got*3 < possible {
		t.Errorf("only %d of %d are predicted", got, possible)
	}
}

// interferable is the transactions and variables for which there is an interleaving by the oracle.
// The second access must be in a critical section that the thread has begun after the first,
// holding no lock.
func (s *script) interferable() map[struct{ t, v int }]bool {
	found := make(map[struct{ t, v int }]bool)
	held, cut := make(map[int]int), make(map[int]int)
	for second, e := range s.trace {
		switch e.op {
		case lock, rlock:
			if held[e.thread]++; held[e.thread] == 1 {
				cut[e.thread] = second
			}
		case unlock, runlock:
			held[e.thread]--
		}
		w := struct{ t, v int }{e.t, e.arg}
		if e.op > write || e.t == 0 || found[w] || held[e.thread] <= 0 {
			continue
		}
		for first, f := range s.trace[:cut[e.thread]] {
			if f.t != e.t || f.op > write || f.arg != e.arg || f.op == read && e.op == read {
				continue
			}
			for other := second + 1; other < len(s.trace) && !found[w]; other++ {
				o := s.trace[other]
				if o.thread != e.thread && o.op <= write && o.arg == e.arg &&
					(o.op == write || f.op == write && e.op == write) {
					found[w] = feasible(s.trace,
						shape{first, other, other, second, o.op == read})
				}
			}
		}
	}
	return found
}
