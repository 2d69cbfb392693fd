// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import (
	"testing"

	"github.com/commutego/commute/internal/trace/tracegen"
)

// TestView wants to be proven what another thread overwrites, and is overwritten, unread.
func TestView(t *testing.T) {
	leftOut := "0> 0wx 0wx 0+l 0wx 0rx 0-l 0wx 0< 1> 1+l 1wx 1-l 1<" // the last write
	if r := check(tracegen.Parse(leftOut), View); r.Proven != 1 {
		t.Errorf("%s: %d are proven, want 1, as the last write of the other is not kept", leftOut,
			r.Proven)
	}
	for text, want := range map[string]uint64{
		"0> 0wx 0wx 0< 1> 1wx 1<":                     2,
		"0> 0wx 0wx 0< 1> 1wx 1rx 1<":                 0,
		"0> 0wx 0wx 0rx 0< 1> 1wx 1<":                 1,
		"0> 0wx 0wx 0< 1> 1wx 1< 2rx":                 1,
		"0> 0+l 0wx 0rx 0-l 0wx 0< 1> 1+l 1wx 1-l 1<": 2, // the read sees its own write
		"0> 0wx 0+l 0rx 0wx 0-l 0< 1> 1+l 1wx 1-l 1<": 1, // it may see either
		"0wx 0> 0rx 0wx 0< 1> 1rx 1wx 1<":             0, // beside a write that came before
		"0> 0rx 0wx 0< 1> 1rx 1wx 1< 2wx":             0, // and one that need not
		"2wx 2f0 0> 0rx 0wx 0< 2> 2rx 2wx 2<":         0, // and one before a fork
	} {
		if r := check(tracegen.Parse(text), View); r.Proven != want || r.Alarmed() != 2-want {
			t.Errorf("%s: %d are proven, want %d: %+v", text, r.Proven, want, r)
		}
	}
}

// TestCases has the number of transactions that each method proves.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		name, text                          string
		all, conflict, reduction, inTwoOnly uint64
	}{
		{"two sections, and one that came before", "1+l 1wx 1-l 0> 0+l 0rx 0-l 0+l 0wx 0-l 0<", 1,
			0, 0, 0},
		{"one section", "1+l 1wx 1-l 0> 0+l 0rx 0wx 0-l 0<", 1, 1, 1, 1},
		{"a counter beside a look at it", "0> 0rc 0wc 0< 1> 1rc 1<", 2, 2, 2, 2},
		{"a thread's two units around", "1> 1wy 1wx 1< 0> 0wy 0< 0> 0wx 0<", 3, 2, 2, 3},
		{"three in a row", "1> 1rx 1wy 1< 0> 0wx 0< 2> 2ry 2<", 3, 3, 2, 3},
		{"sections that don't nest",
			"0> 0+b 0wx 0-b 0< 1> 1+a 1+b 1rx 1+c 1-b 1-c 1-a 1rx 1<", 2, 1, 1, 1},
		{"a child that is waited for", "0> 0f1 1wx 0j1 0<", 1, 0, 0, 0},
		{"a child that is not", "0> 0wx 0f1 0< 1wx", 1, 1, 1, 1},
		{"before the fork, and after", "0> 0wx 0f1 0wx 0< 1wx", 1, 0, 0, 0},
		{"by way of a fork in another thread", "0f1 0> 0wx 0wy 0< 1wx 1f2 2wy", 1, 0, 0, 1},
		{"by the last of equal accesses", "0> 0wy 0wx 0< 1wx 1wy 1wx", 1, 0, 0, 1},
		{"after the join", "0f1 1wx 1wx 0j1 0> 0wx 0rx 0<", 1, 1, 1, 1},
		{"a lock that was taken before", "0+l 0> 0wx 0wx 0< 0-l 1+l 1wx 1-l", 1, 1, 1, 1},
		{"a lock that is let go later", "0> 0+l 0wx 0wx 0< 0-l 1+l 1wx 1-l", 1, 1, 1, 1},
		{"a lock taken twice", "0> 0+l 0+l 0wx 0-l 0wx 0-l 0< 1+l 1wx 1-l", 1, 1, 1, 1},
		{"a transaction that goes on", "0> 0wx 0wx 1wx", 1, 0, 0, 0},
		{"nobody else", "0> 0wx 0+l 0wx 0-l 0wx 0<", 1, 1, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := tracegen.Parse(c.text)
			for m, want := range []uint64{c.conflict, c.reduction, c.inTwoOnly} {
				r := check(run, Method(m))
				if r.Proven != want || r.Proven+r.Alarmed()+r.GaveUp != c.all {
					t.Errorf("method %d: %d of %d are proven, want %d: %+v", m, r.Proven, c.all,
						want, r)
				}
			}
		})
	}
}

// TestViewEarlierWrite has a write that comes before the second transaction, and may come after the
// first: then the order is that of whole units, as a later write covers the last ones.
func TestViewEarlierWrite(t *testing.T) {
	for _, text := range []string{
		"2f0 2f1 1wx 0> 0+l 0wy 0-l 0+l 0wx 0-l 0< 1> 1+l 1ry 1rx 1-l 1< 2j0 2j1 2wx",
		"2f0 2f3 3wx 3f1 0> 0+l 0wy 0-l 0+l 0wx 0-l 0< 1> 1+l 1ry 1rx 1-l 1< 2j0 2j1 2wx",
	} {
		run := tracegen.Parse(text)
		if r := check(run, Conflict); r.Alarmed() != 1 {
			t.Errorf("%s: %d alarms by conflicts, want 1: %+v", text, r.Alarmed(), r)
		}
		if r := check(run, View); r.Alarmed() != 0 {
			t.Errorf("%s: %d alarms by views, want none: %+v", text, r.Alarmed(), r)
		}
	}
}
