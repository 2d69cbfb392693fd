// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Op is an operation of the program: its kind and its place. The place is the import path of its
// package, a slash, the name of its file, a colon and the line.
type Op struct{ Kind, Place string }

func (o Op) String() string { return o.Kind + " " + o.Place }

// short is the operation without the path of its package.
func (o Op) short() string { return o.Kind + " " + o.Place[strings.LastIndexByte(o.Place, '/')+1:] }

func (o Op) compare(p Op) int {
	return cmp.Or(comparePlaces(o.Place, p.Place), strings.Compare(o.Kind, p.Kind))
}

// comparePlaces orders places by file, and by number in a file.
func comparePlaces(a, b string) int {
	fileA, lineA := cutPlace(a)
	fileB, lineB := cutPlace(b)
	return cmp.Or(strings.Compare(fileA, fileB), cmp.Compare(lineA, lineB), strings.Compare(a, b))
}

func cutPlace(place string) (file string, line int) {
	at := strings.LastIndexByte(place, ':')
	fmt.Sscanf(place[at+1:], "%d", &line)
	return place[:max(at, 0)], line
}

// An Order says that operation Before was made before operation After, on one object and by another
// goroutine, while both were about to be made. So the other order was possible as well.
type Order struct{ Before, After Op }

func (o Order) String() string { return o.Before.String() + " before " + o.After.String() }

// reverse is the other order.
func (o Order) reverse() Order { return Order{o.After, o.Before} }

// A Cover has the orders that some runs have covered. The zero Cover is empty.
type Cover struct {
	orders map[Order]bool
	tests  map[coverTest]coverRuns
}

// A coverTest is a test that was explored, by one seed, or a part of its runs.
type coverTest struct {
	pkg, test string
	seed      uint64
	shard     Shard
}

// coverRuns are the runs of a test.
type coverRuns struct {
	runs, switches int // switches: up to so many forced ones all schedules were run; -1: unknown
	fails          bool
}

// Add notes an order. It reports whether it is new.
func (c *Cover) Add(o Order) bool {
	if c.orders[o] {
		return false
	}
	if c.orders == nil {
		c.orders = make(map[Order]bool)
	}
	c.orders[o] = true
	return true
}

// add notes the runs of a test. Of two that say different things of the same runs, it keeps the one
// that has more of them.
func (c *Cover) add(t coverTest, r coverRuns) {
	if c.tests == nil {
		c.tests = make(map[coverTest]coverRuns)
	}
	old, ok := c.tests[t]
	if !ok || r.compare(old) > 0 {
		c.tests[t] = r
	}
}

func (r coverRuns) compare(s coverRuns) int {
	fails := func(r coverRuns) int {
		if r.fails {
			return 1
		}
		return 0
	}
	return cmp.Or(cmp.Compare(r.runs, s.runs), cmp.Compare(fails(r), fails(s)),
		cmp.Compare(s.switches, r.switches))
}

// Merge adds the contents of another Cover. The order of merges makes no difference.
func (c *Cover) Merge(other *Cover) {
	for o := range other.orders {
		c.Add(o)
	}
	for t, r := range other.tests {
		c.add(t, r)
	}
}

// Pairs returns the number of pairs of operations that were seen in both orders, and the number of
// all pairs.
func (c *Cover) Pairs() (both, all int) {
	for o := range c.orders {
		switch {
		case !c.orders[o.reverse()]:
			all++
		case o.Before.compare(o.After) < 0:
			all++
			both++
		}
	}
	return both, all
}

// Percent is the percentage of pairs that were seen in both orders, rounded down; 100 if there are
// no pairs.
func (c *Cover) Percent() int {
	both, all := c.Pairs()
	if all == 0 {
		return 100
	}
	return 100 * both / all
}

// Missing lists the orders that were possible and not seen, sorted.
func (c *Cover) Missing() (list []Order) {
	for o := range c.orders {
		if !c.orders[o.reverse()] {
			list = append(list, o.reverse())
		}
	}
	slices.SortFunc(list, Order.compare)
	return list
}

func (o Order) compare(p Order) int {
	return cmp.Or(o.Before.compare(p.Before), o.After.compare(p.After))
}

func (t coverTest) compare(u coverTest) int {
	return cmp.Or(strings.Compare(t.pkg, u.pkg), strings.Compare(t.test, u.test),
		cmp.Compare(t.seed, u.seed), cmp.Compare(t.shard.Of, u.shard.Of),
		cmp.Compare(t.shard.Index, u.shard.Index))
}

// sortedOrders are the orders that were seen, sorted.
func (c *Cover) sortedOrders() []Order {
	return slices.SortedFunc(maps.Keys(c.orders), Order.compare)
}

// sortedTests are the tests, sorted.
func (c *Cover) sortedTests() []coverTest {
	return slices.SortedFunc(maps.Keys(c.tests), coverTest.compare)
}
