// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"slices"
	"strings"
	"testing"
)

func at(op, place string) Event { return Event{Op: op, At: place, Target: "x"} }

func other(op, place string) *Event {
	e := at(op, place)
	return &e
}

// TestFingerprint wants one fingerprint for each list of findings, and no two lists to share it.
func TestFingerprint(t *testing.T) {
	violation := func(change func(*Finding)) *Finding {
		f := &Finding{
			Kind: AtomicityViolation, Check: "avp",
			Transactions: []Transaction{{At: "f:1"}, {At: "g:1"}},
			Edges: []Edge{
				{From: at("read", "f:2"), To: at("write", "g:2")},
				{From: at("write", "g:2"), To: at("write", "f:3")},
			},
		}
		change(f)
		return f
	}
	deadlock := func(a, b string) *Finding {
		return &Finding{Kind: Deadlock, Check: "goodlock", Nodes: []Node{
			{From: at("acquire", a), To: at("acquire", a+"1"), Lock: a},
			{From: at("acquire", b), To: at("acquire", b+"1"), Lock: b},
		}}
	}
	in := func(name string, line uint32) []Frame {
		return []Frame{{Func: "leaf", File: "l", Line: 7}, {Func: name, File: "f", Line: line}}
	}
	sections := func(op, headline string, line uint32) *Finding {
		name, _, _ := strings.Cut(headline, " ")
		return &Finding{Kind: CheckThenActRace, Check: inSections,
			At:       Event{Op: "write", At: "l:7", Stack: in(name, line)},
			Previous: other(op, "l:7"), Said: Said{Headline: headline},
			Decided: &Event{Op: "read", At: "l:6", Stack: in(name, 2)}}
	}
	seen := make(map[string]int)
	for i, list := range [][]*Finding{
		{ // the order of the sides, threads, numbers, addresses and evidence don't matter
			{Kind: DataRace, Check: "hb", At: at("read", "f:1"), Previous: other("write", "g:1")},
			{Kind: DataRace, Check: "hb", At: at("write", "g:1"), Previous: other("read", "f:1"),
				Evidence: Race, Where: "x.trace", Tests: []string{"TestX"}},
			{Kind: DataRace, Check: "hb", Previous: other("write", "g:1"), At: Event{Number: 7,
				Op: "read", At: "f:1", Thread: "T8", Goroutine: 8, Address: "0x1", Target: "y"}},
			// What a data race is on may have a name in one run only.
			{Kind: DataRace, Check: "hb", At: at("read", "f:1"), Previous: other("write", "g:1"),
				Object: &Object{Name: "v"}},
		},
		{{Kind: DataRace, Check: "fasttrack", At: at("read", "f:1"),
			Previous: other("write", "g:1")}},
		{{Kind: DataRace, Check: "hb", At: at("write", "f:1"), Previous: other("write", "g:1")}},
		{{Kind: DataRace, Check: "hb", At: at("read", "f:2"), Previous: other("write", "g:1")}},
		{{Kind: CommutativityRace, Check: "hb", At: at("read", "f:1"),
			Previous: other("write", "g:1"), Object: &Object{Name: "v"}}},
		{{Kind: CommutativityRace, Check: "hb", At: at("read", "f:1"),
			Previous: other("write", "g:1"), Object: &Object{Name: "w"}}},
		{ // without positions, what is accessed counts
			{Kind: DataRace, Check: "hb", At: at("read", ""), Previous: other("write", "0")},
		},
		{{Kind: DataRace, Check: "hb", At: Event{Op: "read"}, Previous: &Event{Op: "write"}}},
		{ // a cycle may be told from any of its conflicts
			violation(func(*Finding) {}),
			violation(func(f *Finding) { slices.Reverse(f.Edges) }),
			violation(func(f *Finding) { f.Evidence, f.Witness = Predicted, new(Witness) }),
		},
		{violation(func(f *Finding) { f.Transactions[0].At = "f:9" })},
		{violation(func(f *Finding) { f.Edges[1].To.At = "f:9" })},
		{violation(func(f *Finding) { f.Transactions[0].MarkedAt = "f:8" })},
		{{Kind: AtomicityViolation, Check: "frontier", At: at("read", "f:1"),
			Transactions: []Transaction{{At: "f:1"}}}},
		{deadlock("a", "b"), deadlock("b", "a")},
		{deadlock("a", "c")},
		{{Kind: CheckThenActRace, Check: "calls", At: at("touch", "f:2"), Act: "at",
			Previous: other("touch", "g:2"), Decided: other("touch", "f:1")}},
		{{Kind: CheckThenActRace, Check: "calls", At: at("touch", "g:2"), Act: "at",
			Previous: other("touch", "f:2"), Decided: other("touch", "f:1")}},
		{ // another goroutine's check could come between, or its act has come between
			sections("read", "F looks at x", 4),
			sections("write", "F looks at x, with mu free in between", 4),
			{Kind: CheckThenActRace, Check: inSections, Sections: &Sections{Func: "F"},
				At: Event{Stack: in("F", 4)}, Decided: &Event{Stack: in("F", 2)}},
		},
		{sections("read", "G looks at x", 4)}, // it calls the same methods
		{sections("read", "F looks at x", 5)},
	} {
		want := list[0].Fingerprint()
		if len(want) != 32 {
			t.Errorf("%d: %s", i, want)
		}
		if j, ok := seen[want]; ok {
			t.Errorf("%d and %d are the same", i, j)
		}
		seen[want] = i
		for k, f := range list {
			if f.Fingerprint() != want {
				t.Errorf("%d: finding %d is another", i, k)
			}
		}
	}
}
