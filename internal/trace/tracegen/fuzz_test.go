// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen_test

import (
	"testing"

	"github.com/commutego/commute/internal/check/aerodrome"
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// FuzzCheckers wants no checker to panic on a well-formed stream, and those that are to agree, to
// agree.
func FuzzCheckers(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("a string has some events in it, too: enough for a start"))
	for seed := range 8 {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte((i*7 + seed*13) * (i + 3) >> 2)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tr := tracegen.Decode(data)
		if err := event.Check(tr.Events, tr.Relation, tr.Mutexes); err != nil {
			t.Fatal(err)
		}
		front, velo := frontier.New(tr.Relation), velodrome.New(tr.Relation)
		basic, optimised := aerodrome.NewBasic(tr.Relation), aerodrome.New(tr.Relation)
		found := false
		for i := range tr.Events {
			e := &tr.Events[i]
			inFront, inVelo := front.Event(e), velo.Event(e)
			found = found || inFront
			if inFront != inVelo || inFront && front.Violation() != velo.Violation() {
				t.Fatalf("event %d: frontier says %v, Velodrome %v\n%v", i, inFront, inVelo, tr)
			}
			inBasic, inOptimised := basic.Event(e), optimised.Event(e)
			if inBasic != inOptimised || inBasic && !found {
				t.Fatalf("event %d: Basic says %v, Optimised %v, and frontier so far %v\n%v",
					i, inBasic, inOptimised, found, tr)
			}
		}
	})
}
