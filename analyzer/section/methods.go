// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
	"golang.org/x/tools/go/ssa"
)

// A Method describes the calls of a method, by its code: the points of the receiver that they read
// and write.
type Method struct {
	Name   string
	Points []Point
	Order  bool // it uses a container, or nodes linked by pointers, whose order nothing else shows
	Writes bool // it changes the order too

	// NoWrite lists the conditions on a result under which the call has written nothing.
	NoWrite []Condition
	// Arbiter says that a call may write nothing, depending on what it finds.
	Arbiter bool

	Sections int    // that a call makes one after the other; 2 stands for more
	Locked   bool   // it has a section of a lock of the receiver
	Waits    string // what it waits for, "" if it waits for nothing
	Unknown  string // why its points are not known, "" if they are
}

// A Point is a part of an object that a call of a method accesses.
type Point struct {
	Var   string // the variable, by its type
	Kind  PointKind
	Key   int // the parameter that is its key, counted from 0; negative: all keys, or no key
	Write bool
	Sum   bool // is added to, and not read: such writes commute
}

// A PointKind says which part of a variable a point is.
type PointKind uint8

// The kinds.
const (
	Whole  PointKind = iota // the variable itself
	Keyed                   // what a map has for a key, or what that leads to
	Length                  // the number of a map's entries
)

// A Condition is on a result: a boolean, or a comparison with nil.
type Condition struct {
	Result int
	Nil    bool // the result is compared with nil
	Truth  bool // it is true, or is nil
}

// Methods analyses the methods of a type of a package. The error says why a method cannot be
// analysed.
func Methods(pkg *load.Package, name string) (list []Method, err error) {
	defer func() {
		if r := recover(); r != nil { // package ssa panics on some programs
			list, err = nil, fmt.Errorf("its SSA form cannot be built: %v", r)
		}
	}()
	p, err := build(pkg)
	if err != nil {
		return nil, err
	}
	obj, ok := p.pkg.Scope().Lookup(name).(*types.TypeName)
	if !ok {
		return nil, fmt.Errorf("package %s has no type %s", p.pkg.Path(), name)
	}
	a := &effects{program: p, conditions: make(map[*function][]Condition)}
	for _, f := range p.functions {
		recv := f.Signature.Recv()
		if recv == nil || f.Parent() != nil || f.Object() == nil || receiverName(recv) != obj {
			continue
		}
		list = append(list, a.method(f))
	}
	return list, nil
}

// receiverName is the type of a receiver.
func receiverName(recv *types.Var) *types.TypeName {
	t := recv.Type()
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Origin().Obj()
	}
	return nil
}

// An effects analyses methods.
type effects struct {
	*program
	conditions map[*function][]Condition // those under which a function has written nothing
}

// method is what is known of one method.
func (a *effects) method(f *function) Method {
	m := Method{Name: f.Name()}
	for _, e := range f.summary() {
		if e.atomic != compiled.NotAtomic {
			continue // it is taken for what is not known
		}
		if e.class() == backings {
			continue // another event is of the same elements
		}
		a.add(&m, e)
		for _, k := range e.locks {
			m.Locked = m.Locked || k.inner || ownLock(f, k.term)
		}
	}
	for _, k := range f.lockFlow().list {
		m.Locked = m.Locked || ownLock(f, k.term)
	}
	if f.truncated {
		m.Unknown = "it does more than is looked at"
	}
	f.reached(func(in *function, instr ssa.Instruction) { a.other(&m, in, instr) })
	m.Sections = f.sections(make(map[*function]bool))
	if m.writes() {
		m.NoWrite, m.Arbiter = a.noWrite(f)
	}
	return m
}

// ownLock reports whether the term of a lock begins with the receiver.
func ownLock(f *function, term string) bool {
	recv := f.Term(f.Params[0]).Text
	rest, ok := strings.CutPrefix(term, recv)
	return ok && (rest == "" || rest[0] < '0' || rest[0] > '9') // #1, and not #12
}

func (m *Method) writes() bool {
	return slices.ContainsFunc(m.Points, func(p Point) bool { return p.Write })
}

// put adds a point once.
func (m *Method) put(p Point) {
	if !slices.Contains(m.Points, p) {
		m.Points = append(m.Points, p)
	}
}

// add adds the points of an event.
func (a *effects) add(m *Method, e *event) {
	at := a.placeOf(e, 0)
	if at.fresh {
		return
	}
	p := Point{Var: e.name.full(), Key: -1, Write: e.isWrite(), Sum: e.sum()}
	if call, ok := e.containerCall(); ok {
		a.container(m, e, call, p)
		return
	}
	if at.linked {
		m.Order = true
		m.Writes = m.Writes || p.Write
		return
	}
	if at.key.param > 0 { // the receiver is parameter 0
		p.Kind, p.Key = Keyed, at.key.param-1
	} else if at.key.known() {
		p.Kind = Keyed
	}
	if e.class() != maps {
		m.put(p)
		return
	}
	size := Point{Var: p.Var, Kind: Length, Key: -1, Write: p.Write}
	switch e.op {
	case compiled.Len:
		m.put(size)
	case compiled.ReadAll, compiled.WriteAll:
		p.Kind = Keyed
		m.put(p)
		m.put(size)
	case compiled.Lookup:
		m.put(p)
	default:
		size.Sum = true // which keys there are is told by the keys
		m.put(p)
		m.put(size)
	}
}

// sum reports whether a write only adds a number to a variable.
func (s *site) sum() bool {
	if s.op != compiled.UpdateVar && s.op != compiled.Update {
		return false
	}
	by, ok := s.stored.(*ssa.BinOp)
	if !ok {
		return false
	}
	basic, ok := by.Type().Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsInteger != 0 && isSum(by)
}

// reached calls visit with the instructions of f, and of the functions of the package that it
// calls.
func (f *function) reached(visit func(*function, ssa.Instruction)) {
	seen := make(map[*function]bool)
	var walk func(f *function, depth int)
	walk = func(f *function, depth int) {
		if seen[f] || depth > maxDepth {
			return
		}
		seen[f] = true
		f.Each(func(instr ssa.Instruction) {
			visit(f, instr)
			if call, ok := instr.(*ssa.Call); ok {
				for _, t := range f.targets(call) {
					if t.function != nil {
						walk(t.function, depth+1)
					}
				}
			}
		})
	}
	walk(f, 0)
}

// sections is the number of sections that a call of f makes one after the other; 2 stands for more.
func (f *function) sections(seen map[*function]bool) (n int) {
	if seen[f] {
		return 0 // it calls itself
	}
	seen[f] = true
	defer delete(seen, f)
	var begins []ssa.Instruction
	f.Each(func(instr ssa.Instruction) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			return
		}
		for _, op := range f.lockFlow().ops[instr] {
			if op.takes || op.all {
				begins = append(begins, instr)
				return
			}
		}
		for _, t := range f.targets(call) {
			if t.function == nil || t.function == f || t.literal {
				continue
			}
			if k := t.function.sections(seen); k > 0 && len(f.lockFlow().at(instr)) == 0 {
				n = max(n, k)
				begins = append(begins, instr)
				return
			}
		}
	})
	if len(begins) > 0 {
		n = max(n, 1)
	}
	for _, b := range begins {
		for _, c := range begins {
			if f.Reaches(b, c, nil) {
				n = 2
			}
		}
	}
	return n
}
