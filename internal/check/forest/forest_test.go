// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// check judges a trace.
func check(list []event.Event, m Method) *Result {
	c := New(nil)
	for i := range list {
		c.Event(&list[i])
	}
	return c.Finish(m)
}

// A tally counts the verdicts on the programs of a shape.
type tally struct {
	programs, atomic, deadlocks           int
	proven, wrong, alarms, false, unknown int
}

func (n *tally) add(x *explorer, r *Result) {
	n.programs++
	if !x.cyclic {
		n.atomic++
	}
	if x.deadlock {
		n.deadlocks++
	}
	if len(r.Alarms) > 0 {
		n.alarms++
		if !x.cyclic {
			n.false++
		}
	}
	if r.GaveUp > 0 && len(r.Alarms) == 0 {
		n.unknown++
	}
	if r.GaveUp == 0 && len(r.Alarms) == 0 {
		n.proven++
		if x.cyclic {
			n.wrong++
		}
	}
}

// each makes random programs of a shape, and a run of each that doesn't end in a deadlock. A test
// that is slow takes a share of them.
func each(t *testing.T, s *shape, share int, f func(seed uint64, p program, run []event.Event)) {
	t.Helper()
	count := 100
	if longtest.Asked() {
		count = 20000 / len(shapes)
	}
	for seed := range uint64(count / share) {
		p := random(seed, s)
		r := rand.New(rand.NewPCG(seed, 12))
		if run := interleave(p, r.IntN); run != nil {
			f(seed, p, run)
		}
	}
}

// TestAgreesWithInterleavings wants that what is proven holds in all interleavings, that an alarm
// is given only where one isn't serializable, and that the second condition and the pairs are exact
// on such programs.
func TestAgreesWithInterleavings(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		t.Run(s.name, func(t *testing.T) {
			var n [Block + 1]tally
			each(t, s, 1, func(seed uint64, p program, run []event.Event) {
				x := explore(p)
				for m := range n {
					n[m].add(x, check(run, Method(m)))
				}
				pairs := n[Block].false
				if s.threads == 2 && s.units == 1 {
					pairs += n[Block].wrong + n[Block].unknown
				}
				if n[Conflict].wrong+n[Conflict].false+n[Reduction].wrong+pairs > 0 {
					t.Fatalf("program %d: serializable in every run: %v; %+v\n%v", seed, !x.cyclic,
						n, p)
				}
			})
			for m := range n {
				t.Logf("method %d: %+v", m, n[m])
			}
			if c := n[Conflict]; c.proven < c.programs/10 || c.alarms < c.programs/10 ||
				c.unknown > c.programs/50 {
				t.Errorf("of %d programs %d are proven, %d not: that is one-sided", c.programs,
					c.proven, c.alarms)
			}
		})
	}
}

// TestPrinted has the counterexample to theorem 4.3 as printed: two units of one thread share no
// conflict, and still the transaction fits around both.
func TestPrinted(t *testing.T) {
	run := tracegen.Parse("1> 1wy 1wx 1< 0> 0wy 0< 0> 0wx 0<")
	if r := check(run, Printed); r.GaveUp != 0 || r.Proven != 3 {
		t.Errorf("the printed condition proves %+v, want all three", r)
	}
	r := check(run, Conflict)
	if len(r.Alarms) != 1 || r.Alarms[0].Transaction.Thread != 1 || len(r.Alarms[0].Units) != 2 {
		t.Errorf("the repaired condition finds %+v, want thread 1's transaction, by two units", r)
	}
}

// TestImplications wants that the first condition holds where reduction does, and that each witness
// is a trace with a cycle by another checker.
func TestImplications(t *testing.T) {
	reduced, witnesses := 0, 0
	for i := range shapes {
		each(t, &shapes[i], 1, func(seed uint64, p program, run []event.Event) {
			c := New(nil)
			for i := range run {
				c.Event(&run[i])
			}
			a := c.analyse()
			for t1, list := range a.nodes {
				for _, n := range list {
					if n.marked && a.reduce(uint32(t1), n.unit) == nil {
						reduced++
						if a.common(uint32(t1), n.unit, nil).empty() {
							t.Fatalf("program %d: reduced, and not proven\n%v", seed, p)
						}
					}
				}
			}
			for _, x := range check(run, Conflict).Alarms {
				witnesses++
				f, found := frontier.New(nil), false
				for _, s := range x.Witness {
					found = f.Event(&s.Event) || found
				}
				if !found {
					t.Fatalf("program %d: no cycle in %v\n%v", seed, x.Witness, p)
				}
			}
		})
	}
	if reduced < 100 || witnesses < 100 {
		t.Errorf("%d transactions were reduced, %d had a witness: that says little", reduced,
			witnesses)
	}
}

// TestRepetitions wants that an access three times in a row is as good as twice, that a third unit
// which is like two others changes nothing, and that neither do other names, a thread that nobody
// meets, or another order of events.
func TestRepetitions(t *testing.T) {
	for i := range shapes {
		s := &shapes[i]
		each(t, s, 2, func(seed uint64, p program, _ []event.Event) {
			r := rand.New(rand.NewPCG(seed, 13))
			want := ""
			for k, q := range []program{
				p.repeat(2, 2), p.repeat(3, 2), p.repeat(2, 3), p.renamed(), p.repeat(4, 5),
			} {
				run := interleave(q, r.IntN)
				if run == nil {
					continue // it came to a deadlock
				}
				have := verdict(check(run, Conflict))
				if want == "" {
					want = have
				} else if have != want {
					t.Fatalf("%s, program %d, change %d: %s, want %s\n%v", s.name, seed, k, have,
						want, p)
				}
			}
		})
	}
}

// verdict says whether there is an alarm, without the numbers.
func verdict(r *Result) string {
	return fmt.Sprint(len(r.Alarms) > 0, r.GaveUp > 0)
}

// repeat makes each access so often, and each transaction without forks and joins.
func (p program) repeat(accesses, units int) (q program) {
	for _, list := range p {
		var all, unit []event.Event
		whole := true
		for _, e := range list {
			n := 1
			switch e.Op {
			case event.Read, event.Write:
				n = accesses
			case event.Begin:
				unit, whole = nil, true
			case event.Fork, event.Join:
				whole = false
			}
			for range n {
				all, unit = append(all, e), append(unit, e)
			}
			for n := 1; e.Op == event.End && whole && n < units; n++ {
				all = append(all, unit...)
			}
		}
		q = append(q, all)
	}
	return q
}

// renamed is a program with two of all, other numbers, and a further thread. Thread 0 stays.
func (p program) renamed() (q program) {
	number := func(t uint32) uint32 {
		if t == 0 {
			return 0
		}
		return uint32(len(p)) + 1 - t
	}
	q = make(program, len(p)+1)
	for t, list := range p.repeat(2, 2) {
		for _, e := range list {
			e.Thread = number(e.Thread)
			switch e.Op {
			case event.Fork, event.Join:
				e.Target = number(e.Target)
			case event.Read, event.Write:
				e.Target = 7 - e.Target
			}
			q[number(uint32(t))] = append(q[number(uint32(t))], e)
		}
	}
	return q
}

// TestSameAgain wants the same of a trace each time, the units of its alarms included.
func TestSameAgain(t *testing.T) {
	tr := tracegen.Random(97) // four threads are between two nodes
	find := func() string {
		c := New(tr.Relation)
		for i := range tr.Events {
			c.Event(&tr.Events[i])
		}
		var b strings.Builder
		for _, x := range c.Finish(Conflict).Alarms {
			fmt.Fprintln(&b, x.Transaction, x.Units, x.Witness)
		}
		return b.String()
	}
	want := find()
	for range 50 {
		if got := find(); got != want {
			t.Fatalf("%s\nand\n%s", got, want)
		}
	}
}

// TestThreads has the schedule of an alarm name threads as the trace does, though one in between
// does nothing that counts.
func TestThreads(t *testing.T) {
	r := check(tracegen.Parse("0> 0wx 0wx 0< 1+l 1-l 2wx"), Conflict)
	if len(r.Alarms) != 1 {
		t.Fatalf("%+v, want one alarm", r)
	}
	last := r.Alarms[0].Witness
	for _, e := range last {
		if e.Event.Thread == 1 {
			t.Errorf("thread 1 is in the schedule: %v", last)
		}
	}
}
