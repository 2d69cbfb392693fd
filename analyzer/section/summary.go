// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/bits"
	"slices"

	"github.com/commutego/commute/analyzer/internal/flow"
	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// Bounds of summaries: the calls from a function to an event, and the events of a function that
// hold a lock, and that don't. There may be more of the function's own.
const (
	maxDepth  = 5
	maxEvents = 80
	maxOwn    = 4 * maxEvents
)

// summary lists the events of f: its own, and those of what it calls.
func (f *function) summary() []*event {
	if f.state != unknown {
		return f.events // none yet in a recursive call
	}
	f.state = begun
	l := f.lockFlow()
	var locked, free, atomics, backing []*event
	// listFor is where an event belongs, nil if there is no room left.
	listFor := func(s *site, isLocked bool, limit int) *[]*event {
		list := &free
		switch {
		case s.atomic != compiled.NotAtomic:
			list = &atomics
		case s.class() == backings:
			list = &backing
		case isLocked:
			list = &locked
		}
		if len(*list) < limit {
			return list
		}
		f.truncated = f.truncated || s.atomic == compiled.NotAtomic
		return nil
	}
	f.Each(func(instr ssa.Instruction) {
		var now []held
		for _, k := range l.at(instr) {
			now = append(now, held{lock: k})
		}
		for _, s := range f.sites(instr) {
			if list := listFor(s, len(now) > 0, maxOwn); list != nil {
				*list = append(*list, f.event(s, now))
			}
		}
		if call, ok := instr.(*ssa.Call); ok {
			for _, t := range f.targets(call) {
				for _, e := range t.eventsOf() {
					if e.depth >= maxDepth {
						f.truncated = true
						continue
					}
					isLocked := len(now)+len(e.locks)+len(t.lent) > 0
					if list := listFor(e.site, isLocked, maxEvents); list != nil {
						*list = append(*list, f.imported(e, t, call, now))
					}
				}
				f.truncated = f.truncated ||
					t.function != nil && (t.truncated || t.state == begun)
			}
		}
	})
	f.events = slices.Concat(locked, free, atomics, backing)
	f.state = done
	return f.events
}

// eventsOf are the events of a target.
func (t target) eventsOf() []*event {
	if t.function == nil {
		return t.told
	}
	return t.summary()
}

// States of a summary.
const (
	unknown = iota
	begun
	done
)

// event is an access by f itself.
func (f *function) event(s *site, locks []held) *event {
	e := &event{site: s, f: f, at: s.instr, locks: locks}
	switch {
	case s.addr != nil:
		e.term = f.Term(s.addr).Text
	case s.base != nil:
		e.term = f.Term(s.base).Text
	}
	if s.key != nil {
		e.keyed = f.Term(s.key).Text
	}
	if s.atomic != compiled.NotAtomic {
		e.locks = append(slices.Clone(locks), e.atomicLock())
	}
	return e
}

// imported is an event of a callee as one of f.
func (f *function) imported(e *event, t target, call *ssa.Call, locks []held) *event {
	move := func(text string) string {
		if t.function == nil {
			return f.in.inside(text, t.args)
		}
		return f.in.substitute(text, t.function, t.args)
	}
	n := &event{site: e.site, f: f, at: call, by: call.Pos(), depth: e.depth + 1, from: e, via: t,
		term: move(e.term), keyed: move(e.keyed)}
	if count := len(locks) + len(e.locks) + len(t.lent); count > 0 {
		n.locks = append(make([]held, 0, count), locks...)
	}
	for _, k := range e.locks {
		k.term, k.inner, k.lent = move(k.term), true, false
		n.locks = append(n.locks, k)
	}
	for _, k := range t.lent {
		n.locks = append(n.locks, held{k, true, true})
	}
	return n
}

// slices are the forward slices from a read, with control and by data alone.
func (e *event) slices() [2]*flow.Slice {
	if e.forward[0] == nil {
		for k := range e.forward {
			s := e.f.NewSlice()
			s.Data = k == 1
			e.seed(s, k)
			s.Grow()
			e.forward[k] = s
		}
	}
	return e.forward
}

// seed adds to a slice what a read gives to its function. Of a call these are the results that the
// callee's read flows to. A literal that is passed on may give all results of the call.
func (e *event) seed(s *flow.Slice, k int) {
	if e.from == nil {
		if v, ok := e.instr.(ssa.Value); ok {
			s.Values[v] = true
		}
		return
	}
	call := e.at.(*ssa.Call)
	to := e.from.flows()[k]
	s.Writes(call, to.outs)
	if to.results == 0 {
		return
	}
	n := call.Call.Signature().Results().Len()
	if e.via.literal || n == 1 {
		s.Values[call] = true
		return
	}
	for _, use := range *call.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && to.results>>x.Index&1 != 0 {
			s.Values[x] = true
		}
	}
}

// A flows says where a read of a function flows to: the results, and captured variables.
type flows struct {
	results uint64
	outs    []string
}

// flows says where a read flows to, by data and control, and by data alone.
func (e *event) flows() [2]flows {
	if e.flowsTo == nil {
		e.flowsTo = &[2]flows{}
		for k, s := range e.slices() {
			e.flowsTo[k] = e.f.leaves(s)
		}
	}
	return *e.flowsTo
}

// leaves says where a slice leaves its function.
func (f *function) leaves(s *flow.Slice) (to flows) {
	var returns []*ssa.Return
	f.Each(func(instr ssa.Instruction) {
		switch instr := instr.(type) {
		case *ssa.Return:
			returns = append(returns, instr)
		case *ssa.Store:
			if free, ok := instr.Addr.(*ssa.FreeVar); ok && s.Wrote(instr) {
				to.outs = append(to.outs, f.Term(free).Text)
			}
		}
	})
	for i := range f.Signature.Results().Len() {
		for _, ret := range returns {
			if i < 64 && i < len(ret.Results) && (s.Values[ret.Results[i]] ||
				s.Controlled(ret.Block()) && differ(returns, i)) {
				to.results |= 1 << i
			}
		}
	}
	return to
}

// differ reports whether a result is not the same value at all returns.
func differ(returns []*ssa.Return, i int) bool {
	for _, ret := range returns[1:] {
		a, b := returns[0].Results[i], ret.Results[i]
		ca, ok1 := a.(*ssa.Const)
		cb, ok2 := b.(*ssa.Const)
		if a != b && !(ok1 && ok2 && ca.String() == cb.String()) {
			return true
		}
	}
	return false
}

// A deps says what decides about a write: bit i is parameter i, and after the parameters come the
// captured variables.
type deps struct{ value, data, key, made uint64 }

// deps says which parameters of its function decide about a write.
func (e *event) deps() deps {
	if e.dependsOn != nil {
		return *e.dependsOn
	}
	d := &deps{}
	e.dependsOn = d
	n := len(e.f.Params)
	for i := range min(n+len(e.f.FreeVars), 64) {
		var v ssa.Value
		if i < n {
			v = e.f.Params[i]
		} else {
			v = e.f.FreeVars[i-n]
		}
		both := e.f.from(v)
		a, b := e.affected(both[0]), e.affected(both[1])
		d.value |= bit(a.value, i)
		d.made |= bit(a.made, i)
		d.data |= bit(b.value, i)
		d.key |= bit(b.key, i)
	}
	return *d
}

func bit(set bool, i int) uint64 {
	if set {
		return 1 << i
	}
	return 0
}

// from are the forward slices from a parameter or a captured variable, with control and by data.
func (f *function) from(v ssa.Value) [2]*flow.Slice {
	both, ok := f.slices[v]
	if !ok {
		for k := range both {
			both[k] = f.NewSlice()
			both[k].Data = k == 1
			both[k].Values[v] = true
			both[k].Grow()
		}
		f.slices[v] = both
	}
	return both
}

// An affect says what of a write depends on a slice: its value, its key, and whether it is made.
type affect struct{ value, key, made bool }

func (a affect) any() bool { return a.value || a.key || a.made }

// affected says what of a write depends on a slice of its function.
func (e *event) affected(s *flow.Slice) (a affect) {
	a.made = s.Controlled(e.at.Block())
	if e.from == nil {
		a.value = e.stored != nil && s.Values[e.stored]
		a.key = e.key != nil && s.Values[e.key]
		if e.atomic != compiled.NotAtomic && e.stored != nil {
			a.value = s.Carries(e.stored, e.instr.(*ssa.Call))
		}
		if call, ok := e.instr.(*ssa.Call); ok && e.stored == nil && e.key == nil {
			for _, arg := range call.Call.Args[1:] {
				a.value = a.value || s.Carries(arg, call)
			}
		}
		return a
	}
	call := e.at.(*ssa.Call)
	d := e.from.deps()
	value := d.value
	if s.Data {
		value = d.data
	}
	all := value | d.key | d.made
	for all != 0 {
		i := bits.TrailingZeros64(all)
		all &^= 1 << i
		if !e.carried(s, call, i) {
			continue
		}
		a.value = a.value || value>>i&1 != 0
		a.key = a.key || d.key>>i&1 != 0
		a.made = a.made || d.made>>i&1 != 0 && !s.Data
	}
	return a
}

// carried reports whether what a callee gets as parameter or captured variable i is in a slice.
func (e *event) carried(s *flow.Slice, call *ssa.Call, i int) bool {
	callee := e.via.function
	if callee == nil {
		return i < len(e.via.args) && s.Carries(e.via.args[i], call)
	}
	if i < len(callee.Params) {
		return i < len(e.via.args) && s.Carries(e.via.args[i], call)
	}
	c := e.f.Closures[callee.Function.Function]
	if i -= len(callee.Params); c == nil || i >= len(c.Bindings) {
		return false
	}
	bound := c.Bindings[i]
	return s.Values[bound] || s.Written(e.f.Term(bound).Text, call)
}
