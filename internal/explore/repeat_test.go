// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// TestRepeatedCounts compares the counts of random batches with those of a plain count.
func TestRepeatedCounts(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var sum Repeated
		counts := make(map[string]int)
		var all []string
		killed, failed, arrivals := 0, 0, 0
		for range r.IntN(20) {
			b := &batch{killed: r.IntN(9) == 0, failed: r.IntN(4) == 0}
			for range r.IntN(3) {
				b.runs = append(b.runs, run{hash: fmt.Sprint(r.IntN(3)), arrivals: r.IntN(2)})
			}
			sum.add(b, counts)
			switch {
			case b.killed:
				killed++
				continue
			case b.failed:
				failed++
			}
			text := ""
			for _, one := range b.runs {
				text += one.hash + ","
				arrivals += one.arrivals
			}
			if text != "" {
				all = append(all, text)
			}
		}
		most := 0
		for _, one := range all {
			n := 0
			for _, other := range all {
				if one == other {
					n++
				}
			}
			most = max(most, n)
		}
		if sum.Processes != len(all) || sum.Same != most || sum.Killed != killed ||
			sum.Failed != failed || sum.Arrivals != arrivals {
			t.Fatalf("seed %d: %+v, want %d of %d the same, %d failed, %d killed", seed, sum, most,
				len(all), failed, killed)
		}
	}
}

// TestFirstDifference changes random logs at a random step: that one is told.
func TestFirstDifference(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		var one []step
		for range 1 + r.IntN(30) {
			one = append(one, step{kind: about, name: fmt.Sprint(r.IntN(3)), op: engine.Lock,
				object: 1 + r.IntN(3), at: place{file: "a.go", line: 1 + r.IntN(9)}})
		}
		other, at := slices.Clone(one), r.IntN(len(one))
		if r.IntN(2) == 0 {
			other[at].at.line += 10
		} else {
			other = other[:at]
		}
		a := &batch{told: told{runs: []run{{hash: "1", log: &runLog{steps: one}}}},
			seeds: []Seed{{}}}
		b := &batch{told: told{runs: []run{{hash: "2", log: &runLog{steps: other}}}},
			seeds: a.seeds}
		text := firstDifference(a, b)
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		before := min(at, stepsBefore)
		want := "then nothing more"
		if at < len(other) {
			want = "then " + other[at].String()
		}
		if len(lines) != 3+before || lines[0] != "run 1, by x1-first:" ||
			lines[1+before] != "then "+one[at].String() || lines[2+before] != want {
			t.Fatalf("seed %d: step %d of\n%v\n%v\n%s", seed, at, one, other, text)
		}
		b.runs[0].hash = "1"
		if text := firstDifference(a, b); text != "" {
			t.Fatalf("runs of one hash differ: %s", text)
		}
	}
}
