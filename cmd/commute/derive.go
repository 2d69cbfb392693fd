// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/section"
	checked "github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/packages"
)

// Formulas are derived from what the code of methods reads and writes. Two calls commute if neither
// writes a point that the other one accesses: because the keys of the points differ, or because a
// result tells that a call has written nothing.

// A derivation is what the code of a type says.
type derivation struct {
	code  map[string]*section.Method
	of    string // the type that implements an interface, if that is what is drafted
	why   string // why nothing is known
	order bool   // the order of entries is overlooked: they have keys
	read  map[variable]bool
}

// A variable is a part of the object, for all keys.
type variable struct {
	name string
	kind section.PointKind
}

// derive analyses the type's methods.
func (s *skeleton) derive(p *packages.Package) {
	d := &derivation{code: make(map[string]*section.Method), read: make(map[variable]bool)}
	s.derived = d
	name := s.name
	obj := p.Types.Scope().Lookup(name)
	if it, ok := obj.Type().Underlying().(*types.Interface); ok {
		if name = implementation(p.Types, it); name == "" {
			d.why = "it is an interface, and not one type of its package implements it"
			return
		}
		d.of = name
	}
	list, err := section.Methods(checked.Checked(p.Fset, p.Syntax, p.Types, p.TypesInfo), name)
	if err != nil {
		d.why = err.Error()
		return
	}
	if !slices.ContainsFunc(list, func(m section.Method) bool { return m.Locked }) {
		d.why = "no method takes a lock of its own"
		return
	}
	for i := range list {
		d.code[list[i].Name] = &list[i]
		for _, q := range list[i].Points {
			d.order = d.order || q.Kind == section.Keyed && q.Key >= 0
			if !q.Write {
				d.read[variable{q.Var, q.Kind}] = true
			}
		}
	}
	d.leaveOut(s)
	for i := range s.methods {
		m := &s.methods[i]
		if m.code = d.code[m.name]; m.code != nil && m.code.Unknown == "" {
			m.observer = !d.writes(m.code)
			m.arbiter = !m.observer && (m.code.Arbiter || m.code.Sections > 1 || m.callback != "")
		}
	}
}

// implementation is the only struct type of a package that implements an interface.
func implementation(pkg *types.Package, it *types.Interface) (found string) {
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || obj.IsAlias() || types.IsInterface(obj.Type()) {
			continue
		}
		if types.Implements(obj.Type(), it) || types.Implements(types.NewPointer(obj.Type()), it) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}

// leaveOut leaves methods out that wait: a caller comes after those whom it has waited for. So it
// does with methods that do nothing but show, or use, the order of entries, where that is
// overlooked.
func (d *derivation) leaveOut(s *skeleton) {
	s.methods = slices.DeleteFunc(s.methods, func(m sketch) bool {
		code := d.code[m.name]
		if code != nil && code.Waits != "" {
			s.leave(m.name, "nothing is claimed, as it waits for "+code.Waits)
			return true
		}
		if !d.order || code == nil || code.Unknown != "" || !code.Order {
			return false
		}
		for _, p := range code.Points {
			if p.Kind == section.Keyed || p.Kind == section.Whole && p.Write {
				return false
			}
		}
		s.leave(m.name, "what it does depends on the order of entries, which is overlooked")
		return true
	})
}

// points are those that a method accesses, as far as they count.
func (d *derivation) points(m *section.Method) (list []section.Point) {
	keyed := slices.ContainsFunc(m.Points,
		func(p section.Point) bool { return p.Kind == section.Keyed && p.Key >= 0 })
	for _, p := range m.Points {
		// A cache that makes room looks at its size.
		if room := m.Writes && keyed && p.Kind == section.Length && !p.Write; !room {
			list = append(list, p)
		}
	}
	if m.Order && !d.order {
		list = append(list, section.Point{Var: "the order of entries", Key: -1})
		if m.Writes {
			list = append(list, section.Point{Var: "the order of entries", Key: -1, Write: true})
		}
	}
	return list
}

func (d *derivation) writes(m *section.Method) bool {
	return slices.ContainsFunc(d.points(m), func(p section.Point) bool { return p.Write })
}

// conflict reports whether accesses to two points don't commute, if their keys are equal.
func (d *derivation) conflict(p, q section.Point) bool {
	if p.Var != q.Var || p.Kind != q.Kind || !p.Write && !q.Write || p.Sum && q.Sum {
		return false
	}
	return !p.Write || !q.Write || p.Kind == section.Keyed || p.Kind == section.Whole &&
		(d.read[variable{p.Var, p.Kind}] || p.Var == "the order of entries")
}

// A claim is when the calls of two methods commute, in parts.
type claim struct {
	keys  []string // that the keys differ
	equal []string // what has to hold of calls with equal keys; nil: nothing does
	all   []string // what has to hold of all calls
	never bool
}

// String is the formula.
func (c *claim) String() string {
	parts := slices.Clone(c.all)
	switch keys := strings.Join(c.keys, " && "); {
	case c.never:
		return ""
	case len(c.keys) == 0:
	case len(c.equal) == 0:
		parts = append(parts, keys)
	case len(c.keys) > 1 || len(parts) == 0:
		if len(c.keys) > 1 {
			keys = "(" + keys + ")"
		}
		parts = append(parts, keys+" || "+strings.Join(c.equal, " && "))
		if len(parts) > 1 {
			parts[len(parts)-1] = "(" + parts[len(parts)-1] + ")"
		}
	default:
		parts = append(parts, "("+keys+" || "+strings.Join(c.equal, " && ")+")")
	}
	if len(parts) == 0 {
		return "true"
	}
	return strings.Join(parts, " && ")
}

// weaken makes less of a claim that was refuted so many times: first that keys differ is asked for
// alone, and then nothing is claimed.
func (c *claim) weaken(times int) {
	switch {
	case times == 0:
	case times == 1 && len(c.keys) > 0 && len(c.equal) > 0 && len(c.all) == 0:
		c.equal = nil
	default:
		c.never = true
	}
}

// claim derives when two methods' calls commute.
func (d *derivation) claim(m, n sketch) *claim {
	c := &claim{}
	a, b := m.idle("1"), n.idle("2")
	var keyed, always [2]bool // which of the two must have written nothing
	for _, p := range d.points(m.code) {
		for _, q := range d.points(n.code) {
			if !d.conflict(p, q) {
				continue
			}
			need := &always
			if differ := m.differ(p, n, q); differ != "" {
				need = &keyed
				if !slices.Contains(c.keys, differ) {
					c.keys = append(c.keys, differ)
				}
			}
			need[0], need[1] = need[0] || p.Write, need[1] || q.Write
		}
	}
	add := func(list *[]string, idle string) bool {
		if idle != "" {
			*list = append(*list, idle)
		}
		return idle != ""
	}
	for k, idle := range []string{a, b} {
		if always[k] {
			keyed[k] = false
			c.never = !add(&c.all, idle) || c.never
		}
	}
	known := true
	for k, idle := range []string{a, b} {
		if keyed[k] {
			known = add(&c.equal, idle) && known
		}
	}
	switch {
	case !keyed[0] && !keyed[1]: // what holds of all calls is enough
		c.keys, c.equal = nil, nil
	case !known:
		c.equal = nil
	}
	return c
}

// idle is the condition under which a call has written nothing, "" if none is known.
func (m sketch) idle(number string) string {
	if m.code.Sections > 1 || m.callback != "" {
		return "" // others may be in between
	}
	for _, c := range m.code.NoWrite {
		if c.Result >= len(m.results) || m.results[c.Result] == "_" {
			continue
		}
		name := m.results[c.Result] + number
		switch {
		case !c.Nil && c.Truth:
			return name
		case !c.Nil:
			return "!" + name
		case c.Truth:
			return name + " == nil"
		default:
			return name + " != nil"
		}
	}
	return ""
}

// differ is the condition that the keys of two points differ, "" if they have none.
func (m sketch) differ(p section.Point, n sketch, q section.Point) string {
	if p.Kind != section.Keyed || p.Key < 0 || q.Key < 0 || p.Key >= len(m.params) ||
		q.Key >= len(n.params) || m.params[p.Key] == "_" || n.params[q.Key] == "_" ||
		!types.Identical(m.types[p.Key], n.types[q.Key]) {
		return ""
	}
	return m.params[p.Key] + "1 != " + n.params[q.Key] + "2"
}

// remarks say of which methods less is claimed, and why.
func (s *skeleton) remarks() (list []string) {
	for _, m := range s.methods {
		switch {
		case m.code == nil:
		case m.code.Unknown != "":
			list = append(list, fmt.Sprintf("%s is guessed from names and types: %s.", m.name,
				m.code.Unknown))
		case m.code.Sections > 1:
			list = append(list, fmt.Sprintf("Of %s only what its keys say is claimed: it has "+
				"several critical sections, and others may come in between.", m.name))
		case m.callback != "":
			list = append(list, fmt.Sprintf("Of %s only what its keys say is claimed: what it "+
				"calls is not its own.", m.name))
		}
	}
	if s.derived.order && slices.ContainsFunc(s.methods, func(m sketch) bool {
		return m.code != nil && m.code.Order
	}) {
		list = append(list, "The order of entries is overlooked, and what is evicted by it.")
	}
	return list
}
