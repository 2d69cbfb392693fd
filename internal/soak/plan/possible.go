// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package plan

// A graph has two nodes for each operation, its begin and its end. There is an edge wherever one
// node may be ordered before another in some schedule, by the program or by the libraries that it
// uses. Some edges are by way of a node of their own.
type graph struct {
	p     *Plan
	edges [][]int32
	own   map[int32]int // nodes that stand for the calls on one key, and the variable
}

func begin(i int) int32 { return int32(2 * i) }
func end(i int) int32   { return int32(2*i + 1) }

func (g *graph) edge(from, to int32) { g.edges[from] = append(g.edges[from], to) }

// orders is an edge between two operations.
func (g *graph) orders(i, j int) { g.edge(begin(i), end(j)) }

// hub is a node more.
func (g *graph) hub() int32 {
	g.edges = append(g.edges, nil)
	return int32(len(g.edges) - 1)
}

// through has an operation be before and after all others of a hub.
func (g *graph) through(hub int32, i int) {
	g.edge(begin(i), hub)
	g.edge(hub, end(i))
}

// newGraph is the graph of a plan; t has followed it.
func newGraph(t *tracker) *graph {
	g := &graph{p: t.p, edges: make([][]int32, 2*len(t.p.Ops)), own: map[int32]int{}}
	g.program()
	for l := range t.p.Links {
		g.link(l)
	}
	for k := range t.p.Locks {
		g.lock(k)
	}
	for v := range t.p.Vars {
		if t.p.Vars[v].Type == MapKey {
			g.calls(t, v)
		}
	}
	return g
}

// program adds the order of each goroutine, its start, and the classes.
func (g *graph) program() {
	// the end of the last operation; what comes before the next one
	var last, next [maxGoroutines]int32
	for i := range last {
		last[i], next[i] = -1, -1
	}
	var hubs [classes]int32
	for i := range hubs {
		hubs[i] = g.hub()
	}
	collector := g.hub()
	for i := range g.p.Ops {
		o := &g.p.Ops[i]
		g.edge(begin(i), end(i))
		g.edge(begin(i), collector)
		if last[o.G] >= 0 {
			g.edge(last[o.G], begin(i))
		} else if start := g.p.Goroutines[o.G].Start; start.Collected() {
			g.edge(collector, begin(i))
		} else if start == Exec {
			g.edge(hubs[InOut], begin(i))
		}
		if next[o.G] >= 0 {
			g.edge(next[o.G], begin(i))
			next[o.G] = -1
		}
		last[o.G] = end(i)
		switch o.Action {
		case Fork:
			next[o.Child] = begin(i)
			if g.p.Goroutines[o.Child].Start == Exec {
				g.through(hubs[InOut], i)
			}
		case Next:
			next[o.Child] = begin(i)
		case Yield:
			g.edge(begin(i), last[o.Child]) // the end of the Next
		case Signal, Wait:
			if c := properties[g.p.Links[o.Link].Kind].class; c != NoClass {
				g.through(hubs[c], i)
			}
		case Meddle:
			g.orders(i-1, i)
			g.orders(i, i-1)
		}
	}
	// Who has copied what a command printed closes the pipe. A command that still runs could find
	// that out, and tell.
	for i, o := range g.p.Goroutines {
		if o.Start == Exec && last[i] >= 0 {
			g.edge(last[i], hubs[InOut])
		}
	}
}

// link adds the orders of a link.
func (g *graph) link(l int) {
	var signals, waits []int
	for i := range g.p.Ops {
		switch o := &g.p.Ops[i]; {
		case o.Action == Signal && o.Link == l:
			signals = append(signals, i)
		case o.Action == Wait && o.Link == l:
			waits = append(waits, i)
		}
	}
	kind, room := &properties[g.p.Links[l].Kind], g.p.Links[l].Room
	for a, s := range signals {
		for b, w := range waits {
			if !kind.queue || kind.mix || a <= b { // the sends of one goroutine are in order
				g.orders(s, w)
			}
			if kind.meet || kind.back && !(g.p.Forced && !kind.queue) || kind.queue && a >= b+room {
				g.orders(w, s)
			}
		}
	}
	if kind.mix {
		g.among(signals)
	}
	if kind.chat {
		g.among(waits)
	}
}

func (g *graph) among(ops []int) {
	hub := g.hub()
	for _, i := range ops {
		g.through(hub, i)
	}
}

// lock adds the orders of critical sections.
func (g *graph) lock(k int) {
	for i := range g.p.Ops {
		o := &g.p.Ops[i]
		if o.Lock != k || o.Action != Leave && o.Action != Whole {
			continue
		}
		for j := range g.p.Ops {
			q := &g.p.Ops[j]
			if q.Lock == k && (q.Action == Enter || q.Action == Whole) && !(o.Shared && q.Shared) &&
				(!g.p.Forced || i < j) {
				g.orders(i, j)
			}
		}
	}
}

// calls adds what the calls on a key may learn of each other, when it has been found that they
// race.
func (g *graph) calls(t *tracker, v int) {
	ops := accesses(g.p, v)
	for a, i := range ops {
		for _, j := range ops[a+1:] {
			if conflict(&g.p.Ops[i], &g.p.Ops[j]) && !t.before(i, j) {
				there, back := g.hub(), g.hub()
				g.own[there], g.own[back] = v, v
				g.edge(end(i), there) // what a call learns, it passes on
				g.edge(there, end(j))
				g.edge(end(j), back)
				g.edge(back, end(i))
			}
		}
	}
}

// reach returns the nodes that may come after the begin of an operation, by other ways than the
// calls on variable v.
func (g *graph) reach(i, v int) set {
	seen := newSet(len(g.edges))
	seen.add(int(begin(i)))
	left := []int32{begin(i)}
	for len(left) > 0 {
		n := left[len(left)-1]
		left = left[:len(left)-1]
		for _, m := range g.edges[n] {
			if of, ok := g.own[m]; !seen.has(int(m)) && !(ok && of == v) {
				seen.add(int(m))
				left = append(left, m)
			}
		}
	}
	return seen
}

func conflict(a, b *Op) bool {
	return a.G != b.G && (a.Action == Write || b.Action == Write)
}

// accesses are the operations on a variable.
func accesses(p *Plan, v int) (ops []int) {
	for i := range p.Ops {
		if o := &p.Ops[i]; o.Access() && o.Var == v {
			ops = append(ops, i)
		}
	}
	return ops
}
