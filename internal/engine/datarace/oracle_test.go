// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func kindOf(err error) string {
	if d, ok := err.(*difference); ok {
		return d.kind
	}
	return ""
}

// outcome is how the two sides differ in a sequence.
func outcome(in []byte) string {
	m := newModel()
	defer m.close()
	return kindOf(m.run(in))
}

// shrunk takes events out of a sequence as long as the two sides still differ in the same way.
func shrunk(in []byte) []byte {
	kind := outcome(in)
	for again := true; again; {
		again = false
		for n := len(in) / eventSize / 2; n > 0; n /= 2 {
			for i := eventSize; i+n*eventSize <= len(in); {
				less := append(append([]byte{}, in[:i]...), in[i+n*eventSize:]...)
				if outcome(less) == kind {
					in, again = less, true
				} else {
					i += eventSize
				}
			}
		}
	}
	return in
}

// story is the events of a sequence, and how it fails.
func story(in []byte) string {
	var b strings.Builder
	m := newModel()
	defer m.close()
	m.log = func(format string, args ...any) { fmt.Fprintf(&b, "\t"+format+"\n", args...) }
	err := m.run(in)
	return fmt.Sprintf("%v, with left out repeats %v, at %#x:\n%s", err, m.filter, m.base,
		b.String())
}

// TestAccessAgreesWithOracle has short sequences of all kinds of events.
func TestAccessAgreesWithOracle(t *testing.T) {
	n := 200000
	if testing.Short() || underRace {
		n /= 20
	}
	r := rand.NewChaCha8([32]byte{1})
	m := newModel()
	defer m.close()
	buf := make([]byte, 60*eventSize)
	events := 0
	seen := map[string]int{}
	for i := range n {
		in := buf[:(8+i%50)*eventSize]
		r.Read(in)
		if err := m.run(in); err != nil {
			if seen[kindOf(err)]++; seen[kindOf(err)] == 1 {
				t.Errorf("sequence %d: %v", i, err)
				t.Logf("the least of it: %s", story(shrunk(append([]byte{}, in...))))
			}
		}
		events += m.events
	}
	if len(seen) > 0 {
		t.Errorf("sequences that differ: %v", seen)
	}
	t.Logf("%d events, %d accesses, %d races, %d left out, %d in part, %d and %d easily, "+
		"%d times a write counted for an earlier one, %d sites of others, %d forgotten",
		events, m.accesses, m.races, m.skipped, fronts.Load(), easyReads.Load(), easyWrites.Load(),
		m.weaker, m.strange, m.lost)
	if m.races < n/4 || m.skipped < n/4 || m.lost > n/100+5 ||
		quickEpochs.Load() < uint32(n/4) || fronts.Load() < uint32(n/40) ||
		easyReads.Load() < uint32(n/100) || easyAtomics.Load() < uint32(n/100) ||
		easyWrites.Load() < uint32(n/100) || easyAtomicWrites.Load() < uint32(n/100) {
		t.Error("the sequences are not what is wanted")
	}
}

// FuzzAccess is TestAccessAgreesWithOracle for other sequences.
func FuzzAccess(f *testing.F) {
	r := rand.NewChaCha8([32]byte{4})
	for n := range 20 {
		in := make([]byte, (1+4*n)*eventSize)
		r.Read(in)
		f.Add(in)
	}
	m := newModel()
	f.Cleanup(m.close)
	f.Fuzz(func(t *testing.T, in []byte) {
		if err := m.run(in[:min(len(in), 4000)]); err != nil {
			t.Errorf("%v\nthe least of it: %s", err, story(shrunk(in)))
		}
	})
}
