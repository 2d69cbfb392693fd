// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// Facts are the summaries of a package's exported functions, for packages that import it: what is
// composed wrongly is often a type of another package.

// maxExported bounds the events of a function that other packages get to know: what does more is no
// method to compose.
const maxExported = 16

// A fact is an event of an exported function. In its terms, $0; is the first parameter.
type fact struct {
	Op      compiled.TouchOp
	Path    string // of the name
	Name    string
	Term    string
	Key     string `json:",omitempty"`
	Locks   []factLock
	Kind    kind    `json:",omitempty"`
	Length  bool    `json:",omitempty"`
	Flows   [2]int  `json:",omitempty"` // results, as in flows
	Gives   [2]int  `json:",omitempty"` // results that give the value, or the presence: first.go
	Deps    [4]int  `json:",omitempty"` // as in deps
	Looked  bool    `json:",omitempty"`
	Paired  bool    `json:",omitempty"`
	Always  bool    `json:",omitempty"`
	Claims  [2]bool // with no call, and with one
	Package string  // of the touch
	Index   int
	Depth   int
}

// A factLock is a lock of a fact.
type factLock struct{ Term, Path, Name string }

// facts are those of a package, with the number of its touches.
type facts struct {
	Touches int
	Counts  map[string]int `json:",omitempty"` // the same of other packages that events are of
	Funcs   map[string][]fact
}

// exports finds the events that other packages may compose, by function. Their locks are hot: some
// exported function reads under it what another one writes.
func (c *collector) exports() map[*function][]*event {
	if c.pkg.Name() == "main" {
		return nil
	}
	type point struct{ name, lock string }
	reads, writes := make(map[point][]*function), make(map[point][]*function)
	list := make(map[*function][]*event)
	for _, f := range c.functions {
		if !f.exported() {
			continue
		}
		var events []*event
		for _, e := range f.summary() {
			if e.atomic == compiled.NotAtomic && len(e.locks) > 0 && !e.header && !e.whole &&
				e.class() != backings && e.express().ok {
				events = append(events, e)
			}
		}
		if len(events) > 2*maxExported {
			continue
		}
		events = slices.DeleteFunc(events, func(e *event) bool {
			return !e.isWrite() && e.flows()[0].results == 0
		})
		if len(events) > maxExported {
			continue
		}
		list[f] = events
		for _, e := range events {
			of := reads
			if e.isWrite() {
				of = writes
			}
			for _, k := range e.locks {
				p := point{strconv.Itoa(e.class()) + e.name.full(), k.name.full()}
				of[p] = append(of[p], f)
			}
		}
	}
	shared := make(map[string]bool)
	for p, readers := range reads {
		for _, f := range writes[p] {
			if len(readers) > 1 || readers[0] != f {
				shared[p.lock] = true
			}
		}
	}
	for f, events := range list {
		list[f] = slices.DeleteFunc(events, func(e *event) bool {
			return !slices.ContainsFunc(e.locks, func(k held) bool { return shared[k.name.full()] })
		})
	}
	for lock := range shared {
		c.hot[lock] = true
	}
	return list
}

// encode writes the facts of exported functions.
func (c *collector) encode(exports map[*function][]*event) []byte {
	all := facts{Counts: make(map[string]int), Funcs: make(map[string][]fact)}
	for _, f := range c.functions { // in their order, as touches get numbers
		events := exports[f]
		obj, ok := f.Object().(*types.Func)
		if !ok || len(events) == 0 {
			continue
		}
		var list []fact
		for _, e := range events {
			x := c.fact(f, e)
			if e.remote != nil {
				all.Counts[e.remote.Package] = e.remote.Count
			}
			list = append(list, x)
		}
		all.Funcs[obj.Origin().FullName()] = list
	}
	if len(all.Funcs) == 0 {
		return nil
	}
	all.Touches = len(c.Touches)
	var b bytes.Buffer
	text := base64.NewEncoder(base64.StdEncoding, &b) // to stand in a string of an archive
	packed := gzip.NewWriter(text)
	if json.NewEncoder(packed).Encode(all) != nil || packed.Close() != nil || text.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// fact is an event as a fact.
func (c *collector) fact(f *function, e *event) fact {
	x := fact{Op: e.op, Path: e.name.path, Name: e.name.text, Term: f.outside(e.term),
		Key: f.outside(e.keyed), Kind: e.kind(), Length: e.isLength(), Depth: e.depth,
		Package: c.pkg.Path()}
	for _, k := range e.locks {
		x.Locks = append(x.Locks, factLock{f.outside(k.term), k.name.path, k.name.text})
	}
	if e.isWrite() {
		d := e.deps()
		x.Deps = [4]int{int(d.value), int(d.data), int(d.key), int(d.made)}
		x.Looked, x.Always = e.lookedAgain(), e.always()
		x.Paired = e.hasPair() || slices.ContainsFunc(f.pairs(), func(p *pair) bool {
			return p.act == e && !p.small
		})
	} else {
		to := e.flows()
		x.Flows = [2]int{int(to[0].results), int(to[1].results)}
		x.Gives = [2]int{e.returns(itsValue), e.returns(presence)}
		x.Claims = [2]bool{e.claims(0), e.claims(1)}
	}
	if e.remote != nil {
		x.Package, x.Index = e.remote.Package, e.remote.Index
	} else {
		x.Index = c.touch(e.site)
	}
	return x
}

// outside is a term of f for other packages.
func (f *function) outside(text string) string {
	text = strings.ReplaceAll(text, "$", `\x24`)
	return f.Replace(text, func(leaf ssa.Value) (string, bool) {
		if param, ok := leaf.(*ssa.Parameter); ok {
			if i := slices.Index(f.Params, param); i >= 0 {
				return "$" + strconv.Itoa(i) + ";", true
			}
		}
		return "?" + f.String() + "." + leaf.Name(), true
	})
}

// foreign lists the events of a function of another package by the facts that it has handed on.
func (p *program) foreign(fn *ssa.Function) []*event {
	if p.imported == nil || fn == nil {
		return nil
	}
	if fn.Origin() != nil {
		fn = fn.Origin()
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok || obj.Pkg() == nil || obj.Pkg() == p.pkg {
		return nil
	}
	path := obj.Pkg().Path()
	all, ok := p.handed[path]
	if !ok {
		all = p.decode(path)
		p.handed[path] = all
	}
	return all[obj.Origin().FullName()]
}

// decode reads the facts of a package, none if they can't be read.
func (p *program) decode(path string) map[string][]*event {
	var all facts
	text := p.imported(path)
	if text == nil {
		return nil
	}
	packed, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text)))
	if err != nil || json.NewDecoder(packed).Decode(&all) != nil {
		return nil
	}
	events := make(map[string][]*event)
	for name, list := range all.Funcs {
		for _, x := range list {
			count := all.Touches
			if x.Package != path {
				count = all.Counts[x.Package]
			}
			events[name] = append(events[name], p.event(x, count))
		}
	}
	return events
}

// event is the event that a fact tells of.
func (p *program) event(x fact, count int) *event {
	key := Remote{x.Package, x.Index, count}
	s := p.remotes[key]
	if s == nil {
		s = &site{op: x.Op, name: name{path: x.Path, text: x.Name}, written: &written{ok: true},
			remote: &key, told: x}
		p.remotes[key] = s
	}
	e := &event{site: s, term: x.Term, keyed: x.Key, depth: x.Depth, looks: 1, told: &x}
	for _, k := range x.Locks {
		e.locks = append(e.locks, held{lock: lock{k.Term, name{path: k.Path, text: k.Name}, false},
			inner: true})
	}
	e.flowsTo = &[2]flows{{results: uint64(x.Flows[0])}, {results: uint64(x.Flows[1])}}
	e.dependsOn = &deps{uint64(x.Deps[0]), uint64(x.Deps[1]), uint64(x.Deps[2]),
		uint64(x.Deps[3])}
	if x.Looked {
		e.looks = 2
	}
	return e
}

// inside is a term of a fact as one of the function that calls.
func (p *program) inside(text string, args []ssa.Value) string {
	for i, arg := range args {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i)+";", p.Term(arg).Text)
	}
	return text
}
