// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"slices"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// A Description is a definition that describes a program, as a record of package spec.
type Description struct {
	Kind  spec.Kind
	Args  [spec.MaxArgs]uint64
	Texts [spec.MaxArgs]string
}

// A Describer lists the definitions of a program for a writer of its trace. It remembers how much
// of each table it has listed.
type Describer struct {
	frames, goroutines, tests, sections, methods, objects int
	formulas, sites, keys                                 int
}

// Describe calls f for the definitions that are new since the last call, so that a writer can put
// each before its first use. Callers come before their callees, and methods before the formulas
// and sites that refer to them.
func (d *Describer) Describe(p *Program, f func(Description) error) error {
	var list descriptions
	d.run(p, &list)
	d.specifications(p, &list)
	for _, description := range list {
		if err := f(description); err != nil {
			return err
		}
	}
	return nil
}

// The operands of a Description, by their places.
type (
	args  = [spec.MaxArgs]uint64
	texts = [spec.MaxArgs]string
)

// A descriptions collects definitions in their order.
type descriptions []Description

// add appends a definition.
func (l *descriptions) add(k spec.Kind, args args, texts texts) {
	*l = append(*l, Description{k, args, texts})
}

// run lists the definitions that are about the run: stacks, tests, sections, goroutines.
func (d *Describer) run(p *Program, list *descriptions) {
	for ; d.frames < len(p.frames); d.frames++ {
		if fr := p.frames[d.frames]; fr.fn != "" || fr.file != "" {
			list.add(event.Position, args{uint64(d.frames), 0, uint64(fr.caller), uint64(fr.line)},
				texts{4: fr.fn, 5: fr.file})
		}
	}
	for ; d.tests < len(p.tests); d.tests++ {
		list.add(event.Test, args{uint64(d.tests)}, texts{1: p.tests[d.tests]})
	}
	for ; d.sections < len(p.sections); d.sections++ {
		list.add(event.Section, args{uint64(d.sections)}, texts{1: p.sections[d.sections]})
	}
	for ; d.goroutines < len(p.goroutines); d.goroutines++ {
		if g := p.goroutines[d.goroutines]; g.test != 0 {
			list.add(event.Member, args{uint64(d.goroutines), uint64(g.test)}, texts{})
		}
	}
}

// specifications lists the definitions that are about specified types: methods, objects, formulas,
// call sites, keys.
func (d *Describer) specifications(p *Program, list *descriptions) {
	for ; d.methods < len(p.methods); d.methods++ {
		m := p.methods[d.methods]
		list.add(event.Method, args{uint64(d.methods)}, texts{1: m.Type, 2: m.Name})
		if m.Role != "" {
			list.add(event.Role, args{uint64(d.methods)}, texts{1: m.Role})
		}
	}
	for ; d.objects < len(p.objects); d.objects++ {
		if o := p.objects[d.objects]; o.name != "" || o.typ != "" {
			number := p.objectNumber(uint32(d.objects))
			list.add(event.ObjName, args{number}, texts{1: o.typ, 2: o.name})
		}
	}
	for ; d.formulas < len(p.pairs); d.formulas++ {
		pair := p.pairs[d.formulas]
		fm := p.formulas[pair]
		results := uint64(0)
		if fm.Results {
			results = 1
		}
		list.add(event.Formula, args{uint64(pair[0]), uint64(pair[1]), results},
			texts{3: fm.Text, 4: fm.At})
	}
	for ; d.sites < len(p.siteList); d.sites++ {
		at := p.siteList[d.sites]
		s := p.sites[at]
		list.add(event.CallSite, args{uint64(at[0]), uint64(at[1]), uint64(s.Flags)},
			texts{3: s.Kind, 4: s.Name, 5: s.At})
	}
	for ; d.keys < len(p.keyList); d.keys++ {
		list.add(event.Key, args{p.keyList[d.keys]}, texts{1: p.keys[p.keyList[d.keys]]})
	}
}

// objectNumber is a number for an object in a format that defines each number once. It is the
// address, unless an earlier object had the same one.
func (p *Program) objectNumber(object uint32) uint64 {
	o := p.objects[object]
	if slices.Contains(p.reused, object) {
		return 1<<63 | uint64(object)
	}
	return o.address
}

// Written returns the object of a target, as Describe numbers objects, and its key.
func (p *Program) Written(number uint32) (object, key uint64, keyed bool) {
	t := get(p.targets, number)
	return p.objectNumber(t.object), t.key, t.keyed
}

// Step splits the position of an event for a writer: into the position in the program, and the
// section that begins there or the method that is called.
func (p *Program) Step(pos uint32) (at uint32, section, method uint32, called bool) {
	s, ok := p.at(pos)
	at = s.pos
	switch {
	case !ok:
		return at, 0, 0, false
	case s.section:
		return at, s.number, 0, false
	}
	return at, 0, s.number, true
}
