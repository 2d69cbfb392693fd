// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SitesPerType is the number of places in the source that access variables of a type, and that have
// transactions.
const SitesPerType = 128

// Transactions is the type that sites of transactions count as.
const Transactions = typesEnd

// Batch makes plans from a seed, one for each round of a run of the machine, at most n. No two
// accesses of a batch have the same site. So each report is of one round, and none is taken for the
// repetition of another. With again, sites are used again.
func Batch(seed uint64, n int, o Options, again bool) []*Plan {
	var used [Transactions + 1]int
	var plans []*Plan
	for k := range n {
		p := Make(seed<<20+uint64(k), o)
		was := used
		for i := range p.Ops {
			if t := p.siteType(i); t >= 0 {
				p.Ops[i].Site = used[t] % SitesPerType
				used[t]++
			}
		}
		if !again && slices.Max(used[:]) > SitesPerType {
			used = was
			if len(plans) > 0 && k-len(plans) > 3 {
				break
			}
			continue // a smaller one may do
		}
		plans = append(plans, p)
	}
	return plans
}

// siteType is the type of the sites of an operation, -1 if it has none.
func (p *Plan) siteType(i int) int {
	switch o := &p.Ops[i]; {
	case o.Access():
		return int(p.Vars[o.Var].Type)
	case o.Txn():
		return int(Transactions)
	}
	return -1
}

// Without is the plan without some of its parts, and what depends on them: g3 is a goroutine, l3 a
// link, k3 a lock and v3 a variable.
func (p *Plan) Without(parts []string) (*Plan, error) {
	q := *p
	for _, part := range parts {
		n, err := strconv.Atoi(strings.TrimLeft(part, "glkv"))
		if err != nil {
			return nil, fmt.Errorf("%q is no part of a plan", part)
		}
		switch part[0] {
		case 'g':
			q.dropGoroutine(n)
		case 'l':
			q.drop(func(o *Op) bool {
				return (o.Action == Signal || o.Action == Wait) &&
					o.Link == n
			})
		case 'k':
			q.drop(func(o *Op) bool {
				return (o.Action == Enter || o.Action == Leave || o.Txn()) &&
					o.Lock == n
			})
		case 'v':
			q.drop(func(o *Op) bool { return o.Access() && o.Var == n })
		}
	}
	types := slices.Clone(q.Vars)
	q.Vars = types
	q.judge()
	for i := range q.Vars {
		if q.Vars[i].Type >= Any && q.Vars[i].Ready != Ordered {
			return nil, fmt.Errorf("v%d would be torn", i)
		}
	}
	return &q, nil
}

func (p *Plan) drop(gone func(o *Op) bool) {
	var kept []Op
	for _, o := range p.Ops {
		if !gone(&o) {
			kept = append(kept, o)
		}
	}
	p.Ops = kept
}

// dropGoroutine drops a goroutine, those that it starts, and all links and transactions in which
// one of them takes part.
func (p *Plan) dropGoroutine(g int) {
	gone := map[int]bool{g: true}
	for c := g + 1; c < len(p.Goroutines); c++ {
		gone[c] = gone[p.Goroutines[c].Parent]
	}
	links, txns := map[int]bool{}, map[int]bool{}
	for _, o := range p.Ops {
		if gone[o.G] {
			switch o.Action {
			case Signal, Wait:
				links[o.Link] = true
			case Split, Meddle:
				txns[o.Lock] = true
			}
		}
	}
	p.drop(func(o *Op) bool {
		switch o.Action {
		case Fork, Next:
			return gone[o.G] || gone[o.Child]
		case Signal, Wait:
			return links[o.Link]
		case Split, Meddle, Whole:
			return gone[o.G] || txns[o.Lock]
		}
		return gone[o.G]
	})
}

// Parts are what [Plan.Without] can leave out, large ones first.
func (p *Plan) Parts() (parts []string) {
	seen := map[string]bool{}
	var some [4][]string
	add := func(level int, name string, n int) {
		name += strconv.Itoa(n)
		if !seen[name] {
			seen[name] = true
			some[level] = append(some[level], name)
		}
	}
	for _, o := range p.Ops {
		switch {
		case o.Action == Fork:
			add(0, "g", o.Child)
		case o.Action == Signal || o.Action == Wait:
			add(1, "l", o.Link)
		case o.Action == Enter || o.Txn():
			add(2, "k", o.Lock)
		case o.Access():
			add(3, "v", o.Var)
		}
	}
	return slices.Concat(some[0], some[1], some[2], some[3])
}
