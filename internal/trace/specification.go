// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// specifications are what a program has of compiled specifications, and of calls by which others
// are decided.
type specifications struct {
	types      []specified
	shapes     map[uint32]*shape // by method
	exceptions []exception
	acts       map[[2]uint32][]Act // by position and method of the check
	pcs        []uint64            // by position
}

// A specified type has points and methods that are numbered one after the other.
type specified struct {
	typ                            string
	point, method, points, methods uint32
	keyed                          uint64
}

type shape struct {
	flags, keys     uint64
	params, results string
	cases           [][]compiled.Touch
}

type exception struct {
	method, other uint32
	conditions    string
}

// An Act is a call that depends on another one, by its place in the function.
type Act struct {
	File, Method string
	Line         uint32
}

// SetSpecified adds a type.
func (p *Program) SetSpecified(typ string, point, method, points, methods uint32, keyed uint64) {
	p.types = append(p.types, specified{p.text(typ), point, method, points, methods, keyed})
}

func (p *Program) shape(method uint32) *shape {
	s := p.shapes[method]
	if s == nil {
		if p.shapes == nil {
			p.shapes = make(map[uint32]*shape)
		}
		s = new(shape)
		p.shapes[method] = s
	}
	return s
}

// SetShape sets the parameters and results of a method.
func (p *Program) SetShape(method uint32, flags, keys uint64, params, results string) {
	s := p.shape(method)
	s.flags, s.keys, s.params, s.results = flags, keys, p.text(params), p.text(results)
}

// SetCases sets the points that a method touches, for the cases of its results from the first on.
func (p *Program) SetCases(method, first uint32, touches string) {
	s := p.shape(method)
	if uint64(first) != uint64(len(s.cases)) {
		return // they are there already, or some before them are lost
	}
	for touches != "" {
		n := min(int(touches[0]), len(touches)-1)
		list := make([]compiled.Touch, n)
		for i, b := range []byte(touches[1 : 1+n]) {
			list[i] = compiled.Touch{Point: b >> 2, Key: b & 3}
		}
		s.cases = append(s.cases, list)
		touches = touches[1+n:]
	}
}

// SetException adds conditions under which calls of two methods commute.
func (p *Program) SetException(method, other uint32, conditions string) {
	p.exceptions = append(p.exceptions, exception{method, other, conditions})
}

// SetAct says that an act depends on calls of a method at a position.
func (p *Program) SetAct(pos, method uint32, a Act) {
	if p.acts == nil {
		p.acts = make(map[[2]uint32][]Act)
	}
	at := [2]uint32{pos, method}
	if !slices.Contains(p.acts[at], a) {
		p.acts[at] = append(p.acts[at], a)
	}
}

// SetPC sets the return address of a position.
func (p *Program) SetPC(pos uint32, pc uint64) { p.pcs = set(p.pcs, pos, pc) }

// PC is the return address of a position, 0 if it isn't known.
func (p *Program) PC(pos uint32) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	s, _ := p.at(pos)
	return get(p.pcs, s.pos)
}

// PCs are the return addresses of the stack of a position, innermost first.
func (p *Program) PCs(pos uint32) (list []uint64) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	s, _ := p.at(pos)
	for at := s.pos; at != 0 && len(list) < maxStack; {
		list = append(list, get(p.pcs, at))
		caller := get(p.frames, at).caller
		if caller >= at {
			break
		}
		at = caller
	}
	return list
}

// KeyOf is the hash of the key of a target, 0 if it has none.
func (p *Program) KeyOf(target uint32) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return get(p.targets, target).key
}

// Acts lists the acts that depend on the call at a position.
func (p *Program) Acts(pos uint32) []Act {
	p.mu.RLock()
	defer p.mu.RUnlock()
	s, ok := p.at(pos)
	if !ok || s.section {
		return nil
	}
	return slices.Clone(p.acts[[2]uint32{s.pos, s.number}])
}

// Specification is the compiled specification of the type that has a method, with the numbers of
// its first point and method, if the trace has it. The points conflict as in relation.
func (p *Program) Specification(method uint32, relation *event.Relation) (
	t *compiled.Table, firstPoint, firstMethod uint32, ok bool,
) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for i := range p.types {
		if s := &p.types[i]; method-s.method < s.methods {
			return p.compile(s, relation), s.point, s.method, true
		}
	}
	return nil, 0, 0, false
}

// compile puts together what was defined of a type.
func (p *Program) compile(s *specified, relation *event.Relation) *compiled.Table {
	t := &compiled.Table{TypeName: s.typ}
	for i := range s.points {
		point := compiled.Point{Name: get(p.points, s.point+i).Name, Keyed: s.keyed>>i&1 != 0}
		if s.point+i < relation.Points() {
			for _, q := range relation.Conflicts(s.point + i) {
				if q -= s.point; q < s.points {
					point.Conflicts |= 1 << q
				}
			}
		}
		t.Points = append(t.Points, point)
	}
	for i := range s.methods {
		m := compiled.Method{Name: get(p.methods, s.method+i).Name}
		if h := p.shapes[s.method+i]; h != nil {
			m.Role, m.Visible = byte(h.flags>>spec.RoleShift), int(h.flags>>spec.VisibleShift)
			m.Callback, m.Open = h.flags&spec.Callback != 0, h.flags&spec.Open != 0
			m.Derived = h.flags&spec.Derived != 0
			m.Params, m.Results, m.Touch = h.params, h.results, slices.Clone(h.cases)
			for k := h.keys; k&15 != 0; k >>= 4 {
				m.Keys = append(m.Keys, uint8(k&15-1))
			}
		}
		t.Methods = append(t.Methods, m)
	}
	for _, e := range p.exceptions {
		if e.method-s.method >= s.methods || e.other-s.method >= s.methods {
			continue
		}
		a := compiled.Alternative{
			First: uint8(e.method - s.method), Second: uint8(e.other - s.method),
		}
		for c := e.conditions; len(c) >= 4; c = c[4:] {
			condition := compiled.Condition{Op: c[0], Of: c[1], I: c[2], J: c[3]}
			a.Conditions = append(a.Conditions, condition)
		}
		t.Also = append(t.Also, a)
	}
	return t
}
