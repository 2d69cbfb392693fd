// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package weakest

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// bitsOf makes conditions of both calls, and one comparison for each of keys.
func bitsOf(conditions, keys int) (list []Bit) {
	for call := range 2 {
		for i := range conditions {
			list = append(list, Bit{Call: call + 1, Cost: Plain, Swap: (1-call)*conditions + i})
		}
	}
	for range keys {
		list = append(list, Bit{Cost: Plain, Swap: len(list), Key: true})
	}
	return list
}

// exhaustive are samples of all valuations of n bits, some times each: their calls commute where a
// formula holds.
func exhaustive(n, times int, holds func(v uint64) bool) (list []Sample) {
	for v := range uint64(1) << n {
		for range times {
			list = append(list, Sample{[2]uint64{v, v}, holds(v)})
		}
	}
	return list
}

// TestKnown finds formulas from all valuations: they are equal to the one that made the samples.
func TestKnown(t *testing.T) {
	// Bits 0 and 1 are conditions on the first call, 2 and 3 on the second; 4 and 5 compare.
	const a, b, c, d, x, y = 1, 2, 4, 8, 16, 32
	for name, holds := range map[string]func(v uint64) bool{
		"true":        func(v uint64) bool { return true },
		"false":       func(v uint64) bool { return false },
		"x":           func(v uint64) bool { return v&x != 0 },
		"x && y":      func(v uint64) bool { return v&x != 0 && v&y != 0 },
		"a":           func(v uint64) bool { return v&a != 0 },
		"!a && d":     func(v uint64) bool { return v&a == 0 && v&d != 0 },
		"x || a && c": func(v uint64) bool { return v&x != 0 || v&a != 0 && v&c != 0 },
		"x && b || d": func(v uint64) bool { return v&x != 0 && v&b != 0 || v&d != 0 },
		"x && y || !b": func(v uint64) bool {
			return v&x != 0 && v&y != 0 || v&b == 0
		},
		"x && (a || d)": func(v uint64) bool { return v&x != 0 && (v&a != 0 || v&d != 0) },
		"a || b || c":   func(v uint64) bool { return v&(a|b|c) != 0 },
	} {
		f := Find(&Problem{Bits: bitsOf(2, 2), Support: 4, Samples: exhaustive(6, 10, holds)})
		for v := range uint64(64) {
			if f.Holds(v) != holds(v) || f.Excepts(v) {
				t.Errorf("%s: %+v is %v for %06b", name, *f, f.Holds(v), v)
				break
			}
		}
		if f.Always() != (name == "true") || f.Never() != (name == "false") {
			t.Errorf("%s: constant: %+v", name, *f)
		}
	}
}

// TestAlternative finds an equality, which the grammar does not have, once it has done what it can
// without.
func TestAlternative(t *testing.T) {
	const key, value = 1, 2 // the keys differ, the values do
	p := &Problem{Bits: bitsOf(0, 2), Support: 4, Samples: exhaustive(2, 30, func(v uint64) bool {
		return v&key != 0 || v&value == 0
	})}
	f := Find(p)
	if f.Differ != key || !slices.Equal(f.Also, []Term{{Set: value}}) {
		t.Errorf("%+v", *f)
	}
	if !f.Excepts(0) || f.Excepts(value) || !f.Claims(Sample{Truths: [2]uint64{value, 0}}) {
		t.Error("what the alternative says is wrong")
	}
}

// TestDisguise doesn't take x1 == 0 && x2 == 0 where x1 == x2 is meant.
func TestDisguise(t *testing.T) {
	list := bitsOf(1, 1)
	list[0].Odd, list[1].Odd = true, true
	var samples []Sample
	for x := range 4 {
		for y := range 4 {
			v := uint64(0)
			for i, is := range []bool{x == 0, y == 0, x != y} {
				if is {
					v |= 1 << i
				}
			}
			for range 30 {
				samples = append(samples, Sample{[2]uint64{v, v}, x == y})
			}
		}
	}
	f := Find(&Problem{Bits: list, Support: 4, Samples: samples})
	if !f.Never() || !slices.Equal(f.Also, []Term{{Set: 4}}) {
		t.Errorf("%+v, want an alternative alone", *f)
	}
}

// TestSupport claims nothing of what fewer samples than the support speak for.
func TestSupport(t *testing.T) {
	for _, n := range []int{0, 19, 20, 200} {
		var samples []Sample
		for i := range 2 * n {
			v := uint64(i & 1) // a holds in half of them, and they commute then
			samples = append(samples, Sample{[2]uint64{v, v}, v == 1})
		}
		f := Find(&Problem{Bits: bitsOf(1, 0), Support: 20, Samples: samples})
		if f.Never() != (n < 20) {
			t.Errorf("%d samples: %+v", n, *f)
		}
	}
	always := make([]Sample, 19)
	for i := range always {
		always[i].Commuted = true
	}
	if f := Find(&Problem{Support: 20, Samples: always}); !f.Never() {
		t.Errorf("true, after 19 samples")
	}
}

// TestPrice has each literal pay for itself by as many samples as the support.
func TestPrice(t *testing.T) {
	for _, n := range []int{30, 50} {
		var samples []Sample
		for i := range 4 * n {
			v := uint64(i & 3) // both conditions hold in a quarter, and only then they commute
			samples = append(samples, Sample{[2]uint64{v, v}, v == 3})
		}
		f := Find(&Problem{Bits: bitsOf(1, 0), Support: 20, Samples: samples})
		if f.Never() != (n < 40) {
			t.Errorf("%d samples: %+v", n, *f)
		}
	}
}

// TestBothOrders takes a formula for refuted that holds in one order only of two calls that did not
// commute.
func TestBothOrders(t *testing.T) {
	var samples []Sample
	for range 100 {
		samples = append(samples, Sample{[2]uint64{1, 1}, true}, Sample{[2]uint64{0, 1}, false})
	}
	if f := Find(&Problem{Bits: bitsOf(1, 0), Support: 4, Samples: samples}); !f.Never() {
		t.Errorf("%+v", *f)
	}
}

// TestRandom draws samples at random, of calls that commute or not without a rule, and of calls for
// which a random formula says it. What is found holds for no sample that did not commute, and is
// symmetric for a method with itself. Every part of it has its support.
func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	claimed := 0
	for n := range 600 {
		p := &Problem{Bits: bitsOf(1+rng.IntN(4), rng.IntN(4)), Same: n%2 == 0,
			Support: 1 + rng.IntN(8)}
		width := len(p.Bits)
		hidden := Term{}
		for range rng.IntN(4) {
			i := rng.IntN(width)
			hidden = hidden.and(Term{1 << i, uint64(rng.IntN(2)) << i})
		}
		for range rng.IntN(400) {
			v := [2]uint64{rng.Uint64N(1 << width), rng.Uint64N(1 << width)}
			commuted := hidden.Holds(v[0]) && hidden.Holds(v[1])
			if n%3 == 0 {
				commuted = rng.IntN(5) > 0
			}
			p.Samples = append(p.Samples, Sample{v, commuted})
		}
		f := Find(p)
		s := newSearch(p)
		for _, sample := range p.Samples {
			if !sample.Commuted && f.Claims(sample) {
				t.Fatalf("%d: %+v holds of %b, which did not commute", n, *f, sample.Truths)
			}
		}
		for v := range uint64(1) << width {
			if p.Same && (f.Holds(v) != f.Holds(s.exchange(v)) ||
				f.Excepts(v) != f.Excepts(s.exchange(v))) {
				t.Fatalf("%d: %+v is not symmetric for %b", n, *f, v)
			}
		}
		for _, part := range f.Parts() {
			claimed++
			if s.covered(s.rows, part) < p.Support {
				t.Fatalf("%d: %+v has a part without support", n, *f)
			}
		}
	}
	if claimed < 100 {
		t.Errorf("only %d parts were claimed", claimed)
	}
}
