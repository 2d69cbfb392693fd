// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAllUsed wants every kind of link and start, and every verdict, in some plan.
func TestAllUsed(t *testing.T) {
	var kinds [Kinds]int
	var how [Starts]int
	var pairs [Unordered + 1]int
	var does [Whole + 1]int
	for seed := range uint64(2000) {
		p := Make(seed, Options{})
		for i := range p.Ops {
			o := &p.Ops[i]
			does[o.Action]++
			if o.Action == Wait {
				kinds[p.Links[o.Link].Kind]++
			}
			if o.Action == Fork {
				how[p.Goroutines[o.Child].Start]++
			}
		}
		for _, pair := range p.Pairs() {
			pairs[pair.Verdict]++
		}
	}
	if k := slices.Index(kinds[:], 0); k >= 0 {
		t.Errorf("nobody waits for a %v", Kind(k))
	}
	if s := slices.Index(how[1:], 0); s >= 0 {
		t.Errorf("no goroutine is started by %v", Start(s+1))
	}
	if a := slices.Index(does[:], 0); a >= 0 {
		t.Errorf("nobody does a %v", Action(a))
	}
	if slices.Contains(pairs[:], 0) {
		t.Errorf("pairs by verdict: %v", pairs)
	}
}

// TestSilent wants no pair that could be reported.
func TestSilent(t *testing.T) {
	pairs := 0
	for seed := range uint64(seeds) {
		p := Make(seed, Options{Silent: true})
		for _, pair := range p.Pairs() {
			pairs++
			if pair.Verdict != Ordered {
				t.Fatalf("%v\n%d, %d: %v", p, pair.First, pair.Second, pair.Verdict)
			}
		}
	}
	if pairs == 0 {
		t.Error("no variable is shared")
	}
}

// TestBatch wants sites that are used once.
func TestBatch(t *testing.T) {
	for seed := range uint64(20) {
		seen := map[[2]int]bool{}
		plans := Batch(seed, 1000, Options{}, false)
		for _, p := range plans {
			for i := range p.Ops {
				if typ := p.siteType(i); typ >= 0 {
					at := [2]int{typ, p.Ops[i].Site}
					if seen[at] || at[1] >= SitesPerType {
						t.Fatalf("seed %d: site %v", seed, at)
					}
					seen[at] = true
				}
			}
		}
		if len(plans) < 10 {
			t.Errorf("seed %d: %d plans", seed, len(plans))
		}
	}
}

// TestWithout leaves parts out of plans, and wants what is left to be a plan.
func TestWithout(t *testing.T) {
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := Make(seed, Options{})
		var without []string
		for _, part := range p.Parts() {
			if r.IntN(4) == 0 {
				without = append(without, part)
			}
		}
		q, err := p.Without(without)
		if err != nil {
			continue // torn
		}
		if i := execute(q, r); i >= 0 {
			t.Fatalf("%v\nwithout %v:\n%v\noperation %d can't be done", p, without, q, i)
		}
		for _, part := range q.Parts() {
			if slices.Contains(without, part) {
				t.Fatalf("%v\nwithout %v: %s is there", p, without, part)
			}
		}
	}
}

func TestWithoutNothing(t *testing.T) {
	if _, err := Make(1, Options{}).Without([]string{"x"}); err == nil {
		t.Error("x is a part")
	}
}
