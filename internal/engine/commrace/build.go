// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// Build makes a table of what was compiled into the program, which it refers to. It reports where
// that is more than a table can hold. The table is never freed: there is one for each type of the
// program.
func Build(c *compiled.Table) (*Table, bool) {
	if len(c.Methods) > maxMethods || len(c.Points) > maxPoints {
		return nil, false
	}
	t := (*Table)(host.Alloc(unsafe.Sizeof(Table{})))
	t.formula = (*[maxMethods][maxMethods]Formula)(host.Alloc(unsafe.Sizeof(*t.formula)))
	// The methods of sync.Map take effect without an announcement that package runtime could see.
	t.Of = c
	t.Type, t.quiet = c.TypeName, c.TypeName == "sync.Map"
	for i := range c.Points {
		t.addPoint(i, &c.Points[i])
	}
	for i := range c.Methods {
		t.methods++
		if !t.addMethod(&t.Methods[i], &c.Methods[i]) {
			return nil, false
		}
	}
	for i := range c.Formulas {
		f := &c.Formulas[i]
		if !t.ordered(f.First, f.Second) {
			return nil, false
		}
		fm := &t.formula[f.First][f.Second]
		fm.Pos, fm.Text = f.Pos, f.Text
	}
	for i := range c.Also {
		if !t.addAlternative(&c.Also[i]) {
			return nil, false
		}
	}
	t.close()
	t.markNarrow()
	markAgain(t)
	markPlain(t)
	return t, true
}

// ordered reports whether these are the numbers of two methods, the lower one first.
func (t *Table) ordered(first, second uint8) bool {
	return first <= second && int(second) < t.methods
}

// addPoint adds a point. Keyed and global points are numbered each by themselves too, as their
// lists lie in different arrays.
func (t *Table) addPoint(i int, c *compiled.Point) {
	p := &t.points[i]
	p.name, p.keyed, p.index, p.conflicts = c.Name, c.Keyed, t.global, c.Conflicts
	if p.keyed {
		p.index = t.keyed
		t.keyedPoint[t.keyed] = uint8(i)
		t.keyed++
	} else {
		t.globalPoint[t.global] = uint8(i)
		t.global++
	}
}

// addMethod adds a method, with what it touches in each case of its results. What it may touch is
// the union of all cases.
func (t *Table) addMethod(m *Method, c *compiled.Method) bool {
	if len(c.Keys) > maxKeys || len(c.Touch) > 1<<12 {
		return false
	}
	*m = Method{
		Name: c.Name, Role: Role(c.Role), Callback: c.Callback, Open: c.Open,
		Params: c.Params, Results: c.Results, Visible: c.Visible,
		Derived: c.Derived, nkeys: len(c.Keys),
	}
	for i, k := range c.Keys {
		if k >= maxArgs {
			return false
		}
		m.keys[i] = k
	}
	size := uintptr(max(len(c.Touch), 1)) * unsafe.Sizeof(touches{})
	m.touch = (*touches)(host.Alloc(size))
	m.betas = len(c.Touch)
	for beta, list := range c.Touch {
		set := m.touches(beta)
		for _, u := range list {
			if u.Point >= maxPoints || u.Key >= maxKeys || set.n == len(set.all) {
				return false
			}
			set.add(u.Point, u.Key, &t.points[u.Point])
			m.may.add(u.Point, u.Key, &t.points[u.Point])
		}
	}
	return true
}

// touches are those of a call whose results chose the case beta.
func (m *Method) touches(beta int) *touches {
	return (*touches)(unsafe.Add(unsafe.Pointer(m.touch), uintptr(beta)*unsafe.Sizeof(touches{})))
}

// add adds a point to a set, if it isn't there and there is room.
func (s *touches) add(p, key uint8, pt *point) {
	tc := touch{p, key, uint8(pt.index), pt.keyed}
	for i := range s.n {
		if s.all[i] == tc {
			return
		}
	}
	if s.n < len(s.all) {
		s.all[s.n] = tc
		s.n++
	}
}

// addAlternative adds a conjunction to the semantic exceptions of two methods. It notes with the
// methods what calls have to keep for it: hashes, or whether a result is used.
func (t *Table) addAlternative(c *compiled.Alternative) bool {
	if !t.ordered(c.First, c.Second) {
		return false
	}
	fm := &t.formula[c.First][c.Second]
	if fm.nExceptions == len(fm.exceptions) || len(c.Conditions) > len(fm.exceptions[0].atom) {
		return false
	}
	also := &fm.exceptions[fm.nExceptions]
	fm.nExceptions++
	for _, a := range c.Conditions {
		if a.I >= maxArgs || a.J >= maxArgs || a.Of > 1 {
			return false
		}
		also.atom[also.n] = a
		also.n++
		switch a.Op {
		case '=', '!':
			t.Methods[c.First].hashed |= 1 << a.I
			t.Methods[c.Second].hashed |= 1 << a.J
		case '~':
			t.Methods[[2]uint8{c.First, c.Second}[a.Of]].asksUnused = true
		case '+', '-':
			t.Methods[[2]uint8{c.First, c.Second}[a.Of]].asks |= 1 << a.I
		default:
			return false
		}
	}
	return true
}

// close computes which points subsume which: it takes all conflicts to know that.
func (t *Table) close() {
	for i := range t.points {
		p := &t.points[i]
		for j := range t.points {
			q := &t.points[j]
			if q.conflicts != 0 && q.keyed == p.keyed && q.conflicts&^p.conflicts == 0 {
				p.subsumes |= 1 << j
			}
		}
	}
}
