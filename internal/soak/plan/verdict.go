// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

// A Verdict says whether two accesses, or all accesses to a variable, are ordered.
type Verdict uint8

// The verdicts.
const (
	Ordered Verdict = iota // in every run; a report is a false alarm
	Maybe                  // it depends on the schedule
	// in every run; of a variable: some two accesses are, so there must be a report
	Unordered
)

var verdicts = [...]string{"ordered", "maybe", "unordered"}

func (v Verdict) String() string { return verdicts[v] }

// A Pair is two accesses that conflict, as operations of the plan, the earlier one first.
type Pair struct {
	First, Second int
	Verdict       Verdict
}

// Pairs are all that conflict, and what is known of them.
func (p *Plan) Pairs() []Pair {
	t := newTracker(p)
	held := make([]section, len(p.Ops))
	var in [maxGoroutines]section
	for i := range p.Ops {
		o := &p.Ops[i]
		t.add(o)
		switch o.Action {
		case Enter:
			in[o.G] = section{o.Lock + 1, o.Shared}
		case Leave:
			in[o.G] = section{}
		}
		held[i] = in[o.G]
	}
	g := newGraph(t)
	var pairs []Pair
	for v := range p.Vars {
		ops := accesses(p, v)
		after := make([]set, len(ops))
		for k, i := range ops {
			after[k] = g.reach(i, v)
		}
		for a, i := range ops {
			for b := a + 1; b < len(ops); b++ {
				j := ops[b]
				if !conflict(&p.Ops[i], &p.Ops[j]) {
					continue
				}
				verdict := Unordered
				switch {
				case t.before(i, j), held[i].excludes(held[j]):
					verdict = Ordered
				case after[a].has(int(begin(j))), after[b].has(int(begin(i))):
					verdict = Maybe
				}
				pairs = append(pairs, Pair{i, j, verdict})
			}
		}
	}
	return pairs
}

// A section is the lock that is held, plus one, and how.
type section struct {
	lock   int
	shared bool
}

func (s section) excludes(o section) bool {
	return s.lock != 0 && s.lock == o.lock && !(s.shared && o.shared)
}

// judge sets what is known of the variables.
func (p *Plan) judge() {
	for v := range p.Vars {
		p.Vars[v].Ready = Ordered
	}
	for _, pair := range p.Pairs() {
		v := &p.Vars[p.Ops[pair.First].Var]
		v.Ready = max(v.Ready, pair.Verdict)
	}
}

// Values returns the value that each read gives, if all accesses to its variable are ordered. It is
// -1 for all other operations: there the order of critical sections may decide.
func (p *Plan) Values() []int {
	var unsure = make([]bool, len(p.Vars))
	t := newTracker(p)
	for i := range p.Ops {
		t.add(&p.Ops[i])
	}
	for v := range p.Vars {
		ops := accesses(p, v)
		for a, i := range ops {
			for _, j := range ops[a+1:] {
				if conflict(&p.Ops[i], &p.Ops[j]) && !t.before(i, j) {
					unsure[v] = true
				}
			}
		}
	}
	now := make([]int, len(p.Vars))
	values := make([]int, len(p.Ops))
	for i := range p.Ops {
		values[i] = -1
		switch o := &p.Ops[i]; o.Action {
		case Read:
			if !unsure[o.Var] {
				values[i] = now[o.Var]
			}
		case Write:
			now[o.Var] = o.Value
		}
	}
	return values
}
