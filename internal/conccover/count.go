// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A Count says which pairs of calls count as coverable. Pairs of critical sections are pairs of
// places with every Count.
type Count string

// The counts.
const (
	ByMethods Count = "methods" // of each object, the methods that were both called on it
	ByPlaces  Count = "places"  // the places that two goroutines ran on one object
	ByTypes   Count = "types"   // of each type of which a method was called, all methods
)

// ParseCount is the count of a name.
func ParseCount(name string) (Count, error) {
	if c := Count(name); c == ByMethods || c == ByPlaces || c == ByTypes {
		return c, nil
	}
	return "", errors.New("want methods, places or types")
}

// A Row is a pair that counts: two methods of an object or of a type, or two places.
type Row struct {
	First, Second Operation // without a place, if all places count together
	State         State
	Example       Pair // a pair of places with this state; the zero Pair if none ran
}

// Covers reports whether a pair with a state is covered.
func Covers(k Kind, s State) bool { return s == Unordered || k == Lock && s == Both }

// A Group is the pairs of one object, or of one type.
type Group struct {
	Object Object // without a name if it is the type
	Rows   []Row
}

// Covered is the number of covered pairs.
func (g *Group) Covered() (n int) {
	for _, r := range g.Rows {
		if Covers(g.Object.Kind, r.State) {
			n++
		}
	}
	return n
}

// groups is groups in the making: their rows, by the two operations.
type groups map[Object]map[[2]Operation]*Row

// add adds what was seen of two operations by a pair, or only that they count.
func (g groups) add(o Object, first, second Operation, s State, by Pair) {
	switch c := first.compare(second); {
	case c > 0:
		first, second, s = second, first, s.reverse()
	case c == 0 && (s == Before || s == After):
		s = Both
	}
	if g[o] == nil {
		g[o] = make(map[[2]Operation]*Row)
	}
	r := g[o][[2]Operation{first, second}]
	if r == nil {
		r = &Row{First: first, Second: second}
		g[o][[2]Operation{first, second}] = r
	}
	if t := r.State.Join(s); t != r.State {
		r.State, r.Example = t, by
	}
}

// Groups lists the pairs that count, by object. O(n log n) in the lines of the profile, and in the
// pairs of operations on one object.
func (p *Profile) Groups(c Count) (list []Group) {
	g := make(groups)
	for _, pair := range slices.SortedFunc(maps.Keys(p.pairs), Pair.compare) {
		p.addSeen(g, c, pair)
	}
	if c != ByPlaces {
		p.addUnseen(g, c)
	}
	for _, o := range slices.SortedFunc(maps.Keys(g), Object.compare) {
		group := Group{Object: o}
		for _, r := range g[o] {
			group.Rows = append(group.Rows, *r)
		}
		slices.SortFunc(group.Rows, func(a, b Row) int {
			return cmp.Or(a.First.compare(b.First), a.Second.compare(b.Second))
		})
		list = append(list, group)
	}
	return list
}

// addSeen adds a pair that ran.
func (p *Profile) addSeen(g groups, c Count, pair Pair) {
	o, first, second, s := pair.Object, pair.First, pair.Second, p.pairs[pair]
	switch {
	case c == ByPlaces && s < Before:
		return
	case c != ByPlaces && o.Kind == Call:
		first.Place, second.Place = "", ""
	}
	if c == ByTypes && o.Kind == Call {
		o.Name = ""
	}
	g.add(o, first, second, s, pair)
}

// addUnseen adds pairs that count though they may not have run.
func (p *Profile) addUnseen(g groups, c Count) {
	if c == ByTypes {
		for name, pairs := range p.types {
			for m := range pairs {
				g.add(Object{Kind: Call, Type: name}, Operation{Method: m[0]},
					Operation{Method: m[1]}, NotRun, Pair{})
			}
		}
	}
	for o, ops := range p.ops {
		for a := range ops {
			for b := range ops {
				switch {
				case o.Kind == Lock && o.Name != Nameless && excludes(a, b):
					g.add(o, a, b, NotRun, Pair{})
				case o.Kind == Call && c == ByMethods && p.types[o.Type][methodsOf(a.Method, b.Method)]:
					g.add(o, Operation{Method: a.Method}, Operation{Method: b.Method}, NotRun, Pair{})
				}
			}
		}
	}
}

// excludes reports whether one of two critical sections keeps out the other.
func excludes(a, b Operation) bool { return a.Method != "RLock" || b.Method != "RLock" }

// Sum returns the number of covered pairs, and the number of all pairs.
func Sum(list []Group) (covered, all int) {
	for _, g := range list {
		covered += g.Covered()
		all += len(g.Rows)
	}
	return covered, all
}

// Percent is the percentage of covered pairs; 100 if there are no pairs.
func Percent(covered, all int) float64 {
	if all == 0 {
		return 100
	}
	return 100 * float64(covered) / float64(all)
}

// Part returns the percentage in words, as in "61.2% of pairs (49 of 80)".
func Part(covered, all int) string {
	if all == 0 {
		return "[no pairs]"
	}
	return fmt.Sprintf("%s of pairs (%d of %d)", percent(covered, all), covered, all)
}

// percent has one digit behind the point. It is 100.0% only if all is covered.
func percent(covered, all int) string {
	return fmt.Sprintf("%.1f%%", float64(1000*covered/max(all, 1))/10)
}
