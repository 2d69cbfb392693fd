// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/soak/plan"
)

// A writer writes plans as source.
type writer struct {
	bytes.Buffer
	r      *rand.Rand
	lines  int
	places map[string]line // by line
	p      *plan.Plan
	round  int
	vars   []shape
	links  []inline // by link; zero if the machine has it
	locks  []bool   // by lock: it is in the source
}

func (w *writer) put(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	w.WriteString(text + "\n")
	w.lines += strings.Count(text, "\n") + 1
}

const sourceHead = `package main

import (
	"sync"
	"sync/atomic"

	"github.com/commutego/commute/internal/soak/machine"
)

var (
	_ sync.Mutex
	_ atomic.Bool
	_ machine.Body
)

func main() { machine.Main(&sites) }

var sites = machine.Sites{Bodies: map[uint64]func(r *machine.Round) []machine.Body{`

// programSource is the main file of a program that has plans, and the operations by line.
func programSource(seed uint64, plans []*plan.Plan, marked bool) ([]byte, map[string]line) {
	w := &writer{r: rand.New(rand.NewPCG(seed, 5)), places: map[string]line{}}
	w.put(sourceHead)
	for k, p := range plans {
		w.put("\t%d: new%d,", p.Seed, k)
	}
	w.put("}}\n%s", shapesSource)
	for k, p := range plans {
		w.p, w.round = p, k
		w.scenario()
	}
	var table bytes.Buffer
	transactions(&w.Buffer, &table, marked) // last, for its lines are not counted
	fmt.Fprintf(w, "\nfunc init() {\n%s}\n", table.Bytes())
	return w.Bytes(), w.places
}

// scenario writes a plan: a struct of its variables, links and locks, and a method for each
// goroutine.
func (w *writer) scenario() {
	name := "s" + strconv.Itoa(w.round)
	w.choose()
	w.put("\ntype %s struct {\n\tr *machine.Round\n\tm sync.Map", name)
	for v, s := range w.vars {
		if !w.p.Vars[v].Type.Narrow() || v > 0 && !w.p.Vars[v-1].Type.Narrow() {
			w.put("\t_ [0]int64") // begins a word: in one, only narrow variables lie side by side
		}
		w.put("\t%s", s.in(s.field, field(v), ""))
	}
	w.put("\t_ [0]int64")
	for l, in := range w.links {
		if in.field != "" {
			w.put("\tl%d %s", l, in.field)
		}
	}
	for k, inline := range w.locks {
		if inline {
			w.put("\tk%d sync.RWMutex", k)
		}
	}
	w.put("}\n\nfunc new%d(r *machine.Round) []machine.Body {\n\ts := &%s{r: r}\n\ts.m.Load(0)",
		w.round, name)
	for v, s := range w.vars {
		if s.make != "" {
			w.put("\t%s", s.in(s.make, field(v), ""))
		}
	}
	for l, in := range w.links {
		if in.make != "" {
			w.put("\t%s", in.text(in.make, l, w.p))
		}
	}
	w.WriteString("\treturn []machine.Body{")
	for g := range w.p.Goroutines {
		fmt.Fprintf(w, "s.g%d, ", g)
	}
	w.put("}\n}")
	for g := range w.p.Goroutines {
		w.put("\nfunc (s *%s) g%d(yield func(int) bool) {", name, g)
		for i := range w.p.Ops {
			if w.p.Ops[i].G == g {
				w.op(i, &w.p.Ops[i])
			}
		}
		w.put("}")
	}
}

func field(v int) string { return "v" + strconv.Itoa(v) }

// choose takes shapes for variables, and says which links and locks are in the source.
func (w *writer) choose() {
	w.vars, w.links, w.locks = nil, nil, nil
	for _, v := range w.p.Vars {
		w.vars = append(w.vars, choose(w.r, v.Type))
	}
	for _, l := range w.p.Links {
		in := inlines[l.Kind]
		if w.r.IntN(4) == 0 {
			in = inline{}
		}
		w.links = append(w.links, in)
	}
	for _, k := range w.p.Locks {
		w.locks = append(w.locks, !k.Txn && w.r.IntN(3) > 0)
	}
}

// op writes an operation.
func (w *writer) op(i int, o *plan.Op) {
	switch {
	case o.Access():
		w.access(i, o)
	case (o.Action == plan.Signal || o.Action == plan.Wait) && w.links[o.Link].field != "":
		w.link(i, o)
	case (o.Action == plan.Enter || o.Action == plan.Leave) && w.locks[o.Lock]:
		call := map[plan.Action]string{plan.Enter: "Lock", plan.Leave: "Unlock"}[o.Action]
		if o.Shared && w.p.Locks[o.Lock].RW {
			call = "R" + call
		}
		w.put("\ts.r.Begin(%d)\n\ts.k%d.%s()\n\ts.r.End(%d)", i, o.Lock, call, i)
	case o.Action == plan.Yield:
		w.put("\tif !s.r.Yield(%d, yield) {\n\t\treturn\n\t}", i)
	default:
		w.put("\ts.r.Do(%d)", i)
	}
}

// access writes an access, and notes its line.
func (w *writer) access(i int, o *plan.Op) {
	s := w.vars[o.Var]
	w.put("\ts.r.Begin(%d)", i)
	w.places[strconv.Itoa(w.lines+1)] = line{w.p.Seed, i}
	if o.Action == plan.Read {
		w.put("\ts.r.Got(%d, %s)", i, s.in(s.read, field(o.Var), ""))
		return
	}
	text := s.in(s.write, field(o.Var), strconv.Itoa(o.Value))
	w.put("\t%s", strings.Replace(contexts[w.r.IntN(len(contexts))], "X", text, 1))
	w.put("\ts.r.End(%d)", i)
}

// link writes a signal, or a wait, of a link that is in the source.
func (w *writer) link(i int, o *plan.Op) {
	in := w.links[o.Link]
	text := in.wait
	if o.Action == plan.Signal {
		text = in.signal
	}
	w.put("\ts.r.Begin(%d)", i)
	if meets := w.p.Links[o.Link].Kind.Meets() && o.Action == plan.Signal; meets {
		w.put("\ts.r.End(%d)\n\t%s", i, in.text(text, o.Link, w.p))
		return
	}
	w.put("\t%s\n\ts.r.End(%d)", in.text(text, o.Link, w.p), i)
}
