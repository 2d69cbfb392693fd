// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
)

func TestOracleKnowsCases(t *testing.T) {
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			if err := event.Check(Parse(c.Text), MapRelation, false); err != nil {
				t.Fatal(err)
			}
			o := NewOracle(MapRelation)
			if got := c.Run(o); !slices.Equal(got, c.Graph) {
				t.Errorf("%s: violations at %v, want %v", c.Text, got, c.Graph)
			}
			if o.Cyclic() != (len(c.Graph) > 0) {
				t.Errorf("%s: that the graph has a cycle is %v", c.Text, o.Cyclic())
			}
		})
	}
}

func TestWitness(t *testing.T) {
	for text, want := range map[string]bool{
		"1> 2> 1wx 2wy 1ry 2rx":    false, // both run
		"1> 2> 1wx 2wy 1ry 2rx 1<": true,
		"1> 1wx 2wx 1wx":           true, // a unary transaction is complete
		// passes over 2, which runs: events are ordered
		"1> 2> 3> 1wx 2rx 2wy 3ry 3< 3wz 1rz":       true,
		"1> 2> 3> 1wx 2wy 2rx 3ry 3< 3wz 1rz":       false,
		"1> 2> 3> 1wx 2wy 2rx 3ry 3< 3wz 1rz 2<":    true,
		"1> 1wx 2> 2wy 2rx 2< 3> 3ry 3wz 3< 1rz":    true,
		"1> 1wx 2> 2rx 2< 3> 3wz 3< 1rz 1< 2rz 2wa": false,
	} {
		o := NewOracle(nil)
		for _, e := range Parse(text) {
			o.Event(&e)
		}
		if got := o.Witness(); got != want {
			t.Errorf("%s: that there is a witness is %v, want %v", text, got, want)
		}
	}
}

func TestRandomTracesAreWellFormed(t *testing.T) {
	var ops [event.Touch + 1]int
	nested, unended := 0, 0
	for seed := range uint64(2000) {
		tr := Random(seed)
		if err := event.Check(tr.Events, tr.Relation, tr.Mutexes); err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		depth := map[uint32]int{}
		for _, e := range tr.Events {
			ops[e.Op]++
			switch e.Op {
			case event.Begin:
				depth[e.Thread]++
				if depth[e.Thread] > 1 {
					nested++
				}
			case event.End:
				depth[e.Thread]--
			}
		}
		for _, d := range depth {
			unended += d
		}
		if again := Random(seed); again.String() != tr.String() {
			t.Fatalf("trace %d is another the second time", seed)
		}
	}
	for _, op := range event.Ops {
		if op != event.Split && ops[op] < 500 {
			t.Errorf("only %d times %v in 2000 traces", ops[op], op)
		}
	}
	if nested == 0 || unended == 0 {
		t.Errorf("%d nested transactions, %d that don't end", nested, unended)
	}
}

func TestShapes(t *testing.T) {
	const n = 2000
	for _, s := range Shapes {
		list := s.Make(n)
		if len(list) != n {
			t.Errorf("%s has %d events, want %d", s.Name, len(list), n)
		}
		if err := event.Check(list, nil, true); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		o := NewOracle(nil)
		marked := 0
		for i := range list[:500] {
			if o.Event(&list[i]) {
				t.Fatalf("%s: a violation at event %d", s.Name, i)
			}
			if list[i].Op == event.Begin {
				marked++
			}
		}
		if marked < 2 {
			t.Errorf("%s has %d transactions in its first 500 events", s.Name, marked)
		}
	}
}

func TestDecodeIsWellFormed(t *testing.T) {
	data := make([]byte, 4096)
	for i := range data {
		data[i] = byte(i * i >> 3)
	}
	tr := Decode(data)
	if err := event.Check(tr.Events, tr.Relation, tr.Mutexes); err != nil {
		t.Error(err)
	}
	if len(tr.Events) < 100 {
		t.Errorf("%d bytes make %d events", len(data), len(tr.Events))
	}
	if n := len(Decode(nil).Events); n != 0 {
		t.Errorf("no bytes make %d events", n)
	}
}

func TestShrinkLeavesTheLeast(t *testing.T) {
	tr := Trace{Events: Parse("1> 1wx 2wy 2rx 1< 3wx"), Relation: MapRelation}
	least := Shrink(tr, func(tr Trace) bool {
		return slices.ContainsFunc(tr.Events, func(e event.Event) bool { return e.Op == event.End })
	})
	if len(least.Events) != 2 {
		t.Errorf("the least trace with an end is\n%v", least)
	}
	if !strings.Contains(least.String(), "thread 1: end") {
		t.Errorf("its text is\n%v", least)
	}
}

func TestParsePanics(t *testing.T) {
	for _, text := range []string{"1", "x>", "1?", "1w", "1wxy", "1w1", "1fx", "1t0", "1>x"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is no trace, and was parsed", text)
				}
			}()
			Parse(text)
		}()
	}
}
