// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// version begins each seed. It changes when the same seed would mean another schedule.
const version = "x1"

// seedBits is how long the number of a seed is: 8 characters.
const seedBits = 40

// alphabet is that of seeds: 32 digits and letters, without I, L, O and U.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// A Seed determines the schedule of a run.
type Seed struct {
	Policy engine.Policy
	Number uint64         // for the policies that draw, and for what the program draws
	Forces []engine.Force // of policy Forced, in the order of their decisions; of Pair the sites

	anchors []anchor // of policy Anchored, which users don't see
}

// String is the seed as users see it: x1-again-7K3M9QF2, x1-forced-12.1, x1-first. Policy Forced
// has a number only if the program draws some.
func (s Seed) String() string {
	text := version + "-" + s.Policy.String()
	switch s.Policy {
	case engine.First:
	case engine.Forced:
		if s.Number != 0 {
			text += "-" + s.number()
		}
		text += s.forces()
	default:
		text += "-" + s.number() + s.forces()
	}
	return text
}

// number is the seed's number in the seed's digits.
func (s Seed) number() (text string) {
	for shift := seedBits - 5; shift >= 0; shift -= 5 {
		text += string(alphabet[s.Number>>shift&31])
	}
	return text
}

func (s Seed) forces() string {
	var b strings.Builder
	for _, f := range s.Forces {
		fmt.Fprintf(&b, "-%d.%d", f.Decision, f.Choice)
	}
	return b.String()
}

// anchorText is the text of anchors in a spec.
func anchorText(list []anchor) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, "-%x.%x", a.at, a.to)
	}
	return b.String()
}

// spec is the seed as the program reads it.
func (s Seed) spec() string {
	return fmt.Sprintf("%v-%x", s.Policy, s.Number) + s.forces() + anchorText(s.anchors)
}

// ParseSeeds reads seeds with commas between.
func ParseSeeds(text string) (list []Seed, err error) {
	for word := range strings.SplitSeq(text, ",") {
		s, ok := parseSeed(word)
		if !ok {
			return nil, fmt.Errorf("%q is no seed (one is like %s-again-7K3M9QF2: it stands in the "+
				"report of a test that fails under -explore)", word, version)
		}
		list = append(list, s)
	}
	return list, nil
}

func parseSeed(word string) (s Seed, ok bool) {
	parts := strings.Split(word, "-")
	if len(parts) < 2 || parts[0] != version {
		return s, false
	}
	if s.Policy, ok = engine.PolicyOf(parts[1]); !ok {
		return s, false
	}
	rest := parts[2:]
	switch s.Policy {
	case engine.Anchored:
		return s, false
	case engine.First:
		return s, len(rest) == 0
	case engine.Forced:
		if len(rest) > 0 && !strings.Contains(rest[0], ".") {
			if s.Number, ok = parseNumber(rest[0]); !ok || s.Number == 0 {
				return s, false
			}
			rest = rest[1:]
		}
		s.Forces, ok = parseForces(rest)
		return s, ok && (len(s.Forces) > 0 || s.Number != 0)
	}
	if s.Policy == engine.Pair && len(rest) == 2 {
		if s.Forces, ok = parseForces(rest[1:]); !ok {
			return s, false
		}
		rest = rest[:1]
	}
	if len(rest) != 1 || s.Policy == engine.Pair && s.Forces == nil {
		return s, false
	}
	s.Number, ok = parseNumber(rest[0])
	return s, ok
}

// parseNumber reads a seed's number.
func parseNumber(word string) (n uint64, ok bool) {
	for _, c := range word {
		digit := strings.IndexRune(alphabet, c)
		if digit < 0 {
			return 0, false
		}
		n = n<<5 | uint64(digit)
	}
	return n, len(word) == seedBits/5
}

// parseForces reads decisions with their choices, which have to be in order.
func parseForces(words []string) (list []engine.Force, ok bool) {
	last := uint64(0)
	for _, f := range words {
		decision, choice, _ := strings.Cut(f, ".")
		d, err1 := strconv.ParseUint(decision, 10, 31)
		n, err2 := strconv.ParseUint(choice, 10, 31)
		if err1 != nil || err2 != nil || d <= last {
			return nil, false
		}
		last = d
		list = append(list, engine.Force{Decision: uint32(d), Choice: uint32(n)})
	}
	return list, true
}

// rotation is the order in which policies take turns.
var rotation = [...]engine.Policy{engine.Again, engine.Tx, engine.Random, engine.Surw,
	engine.Again, engine.Tx, engine.Random, engine.Pos}

// drawn is the i-th seed of a test.
func drawn(base uint64, test string, i int) Seed {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s %d", base, test, i)
	return Seed{Policy: rotation[i%len(rotation)], Number: engine.Mix(h.Sum64()) >> (64 - seedBits)}
}
