// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
)

// TestMadeAgain explores a program that fails by a schedule and by what comes from outside, which
// is something else from then on. It fails again, is shrunk, unless all switches come before that,
// and fails by the seed of the report, as what came comes again.
func TestMadeAgain(t *testing.T) {
	b := build(t, outsideModule, "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	list := []string{"forced", "random", "surw", "random"}
	if !longtest.Asked() {
		list = list[:1]
	}
	shrunk := 0
	for i, policies := range list {
		failed := filepath.Join(t.TempDir(), "failed")
		t.Setenv("FAILED", failed)
		t.Setenv("FAIL", "ba")
		t.Setenv("ORDER", `if [ -e "$FAILED" ]; then echo a >&3; sleep 0.03; echo b >&4; `+
			`else echo b >&4; read x; echo a >&3; fi`)
		plan := limits
		plan.Policies, plan.Base = policies, uint64(i)
		r, err := Explore(b, plan, "TestBoth")
		if err != nil {
			t.Fatal(err)
		}
		f := r.Failure
		if f == nil || !f.Again || f.Schedule == nil {
			t.Fatalf("%s: it does not fail again: %+v", policies, f)
		}
		if len(f.Schedule.Forces) < f.Schedule.From {
			shrunk++
		}
		r.remember(b, plan)
		plan.Replay = seedWords(f.Seeds)
		again, err := Replay(b, plan, "TestBoth")
		if err != nil || again.Failure == nil || len(again.notes) > 0 {
			t.Errorf("%s: a replay does not fail: %v %q", policies, err, again.notes)
		}
	}
	if shrunk == 0 && longtest.Asked() {
		t.Error("nothing is shrunk")
	}
}

// TestTells has what came in runs that are made up told of the last runs that are made again, as
// far as there is room.
func TestTells(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 500 {
		b := &batch{}
		for range 1 + r.Intn(4) {
			one := run{ended: r.Intn(4) > 0}
			switch r.Intn(3) {
			case 0:
				one.came = cameIn{randomArrivals(r), r.Intn(2) == 0}
			case 1:
				one.log = &runLog{arrivals: randomArrivals(r)}
			}
			if r.Intn(10) == 0 {
				one.came.list = slices.Repeat([]FileArrival{{Turn: 1}}, mostTold/6)
			}
			b.runs = append(b.runs, one)
			b.seeds = append(b.seeds, Seed{Policy: engine.Random, Number: uint64(r.Intn(2))})
		}
		seeds := slices.Clone(b.seeds[r.Intn(len(b.seeds)):])
		if r.Intn(3) == 0 {
			seeds[0].Number = 9 // another run
		}
		got := b.tells(seeds)
		if len(got) > len(seeds) || len(strings.Join(got, "")) > 2*mostTold {
			t.Fatalf("%d are told, of %d bytes", len(got), len(strings.Join(got, "")))
		}
		all := 0 // how long all of it is
		for i := range got {
			came := b.runs[len(b.runs)-len(got)+i].outsideIn()
			all += len(tellArrivals(came.list, came.cut))
		}
		for i, text := range got {
			at := len(b.runs) - len(got) + i
			one := b.runs[at]
			came := one.outsideIn()
			lost := text == "" && one.ended && all < mostTold
			if seeds[len(seeds)-len(got)+i].Number == 9 || !one.ended && text != "" ||
				text != "" && text != tellArrivals(came.list, came.cut) || lost {
				t.Fatalf("of run %d is told %q", at, text)
			}
		}
		if last := len(got) - 1; last >= 0 && b.runs[len(b.runs)-1].ended && got[last] == "" {
			t.Fatal("nothing is told of the last run")
		}
	}
}

// TestArrivalsUntil compares how many arrivals come before a run differs from another one with a
// slow count: of each arrival it is asked whether all decisions before it are the same.
func TestArrivalsUntil(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		l := &runLog{}
		for range r.Intn(30) {
			switch r.Intn(3) {
			case 0:
				l.steps = append(l.steps, step{kind: outside})
			case 1:
				l.steps = append(l.steps, step{kind: about})
			case 2:
				l.steps = append(l.steps, step{kind: chosen, decision: 1, usual: r.Intn(2) == 0,
					anchor: anchor{uint64(r.Intn(4)), 1}})
			}
		}
		list := l.anchors()
		if len(list) > 0 && r.Intn(4) > 0 {
			at := r.Intn(len(list))
			list = slices.Delete(list, at, min(len(list), at+1+r.Intn(2)))
		}
		if r.Intn(8) == 0 {
			list = append(list, anchor{9, 1})
		}
		want := 0
		for i, s := range l.steps {
			before := (&runLog{steps: l.steps[:i]}).anchors()
			if s.kind == outside && len(before) <= len(list) && slices.Equal(before, list[:len(before)]) {
				want++
			}
		}
		n, all := l.arrivalsUntil(list)
		if n != want || all != slices.Equal(list, l.anchors()) {
			t.Fatalf("%d %v, want %d: %v of %v", n, all, want, list, l.steps)
		}
	}
}
