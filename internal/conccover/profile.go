// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A State is the greatest state in which a pair ran. States are a lattice, in which only Before and
// After are not comparable.
type State uint8

// The states.
const (
	NotRun    State = iota
	Alone           // one goroutine ran both, and no two goroutines did
	Before          // two goroutines, and the first always happened before the second
	After           // two goroutines, and the second always happened before the first
	Both            // two goroutines, in either order, but always ordered
	Unordered       // two goroutines, and nothing ordered the two
)

var stateWords = [...]string{"", "alone", "before", "after", "both", "unordered"}

// String is the state's word in a profile.
func (s State) String() string { return stateWords[s] }

// Join is the least upper bound of two states.
func (s State) Join(t State) State {
	if min(s, t) == Before && max(s, t) == After {
		return Both
	}
	return max(s, t)
}

// reverse is the state of the pair with its operations exchanged.
func (s State) reverse() State {
	switch s {
	case Before:
		return After
	case After:
		return Before
	}
	return s
}

// A Kind is the kind of an object's operations.
type Kind string

// The kinds.
const (
	Call Kind = "call" // calls of specified methods
	Lock Kind = "lock" // critical sections
)

// An Object is the object of operations. Its name is "-" if it is no variable or field; then it
// stands for all such objects of the type.
type Object struct {
	Kind       Kind
	Type, Name string
}

// Nameless is the name of objects that have none.
const Nameless = "-"

func (o Object) compare(p Object) int {
	return cmp.Or(strings.Compare(string(o.Kind), string(p.Kind)), strings.Compare(o.Name, p.Name),
		strings.Compare(o.Type, p.Type))
}

// An Operation is a method at a place.
type Operation struct{ Method, Place string }

// File is the file of the place, as a profile names it, and Line the line in it.
func (o Operation) File() string { file, _ := cutPlace(o.Place); return file }

// Line is as File says.
func (o Operation) Line() int { _, line := cutPlace(o.Place); return line }

// Package is the import path of the package that the place is in.
func (o Operation) Package() string { return path.Dir(o.File()) }

func cutPlace(place string) (file string, line int) {
	at := strings.LastIndexByte(place, ':')
	line, _ = strconv.Atoi(place[at+1:])
	return place[:max(at, 0)], line
}

func (o Operation) compare(p Operation) int {
	file, line := cutPlace(o.Place)
	other, its := cutPlace(p.Place)
	return cmp.Or(strings.Compare(file, other), cmp.Compare(line, its),
		strings.Compare(o.Method, p.Method))
}

// A Pair is two operations on one object, the lesser one first.
type Pair struct {
	Object        Object
	First, Second Operation
}

func (p Pair) compare(q Pair) int {
	return cmp.Or(p.Object.compare(q.Object), p.First.compare(q.First), p.Second.compare(q.Second))
}

// Methods are two methods of a type, the lesser name first.
type Methods [2]string

func methodsOf(a, b string) Methods { return Methods{min(a, b), max(a, b)} }

func (m Methods) compare(n Methods) int {
	return cmp.Or(strings.Compare(m[0], n[0]), strings.Compare(m[1], n[1]))
}

// A Profile has the operations and pairs of some runs. The zero Profile is empty.
type Profile struct {
	types map[string]map[Methods]bool
	ops   map[Object]map[Operation]bool
	pairs map[Pair]State
}

// addType notes that calls of two methods of a type may not commute; a type may have none such.
func (p *Profile) addType(name string, pairs ...Methods) {
	if p.types == nil {
		p.types = make(map[string]map[Methods]bool)
	}
	if p.types[name] == nil {
		p.types[name] = make(map[Methods]bool)
	}
	for _, m := range pairs {
		p.types[name][m] = true
	}
}

// addOp notes an operation.
func (p *Profile) addOp(o Object, op Operation) {
	if p.ops == nil {
		p.ops = make(map[Object]map[Operation]bool)
	}
	if p.ops[o] == nil {
		p.ops[o] = make(map[Operation]bool)
	}
	p.ops[o][op] = true
}

// addPair joins the state of a pair.
func (p *Profile) addPair(o Object, first, second Operation, s State) {
	switch c := first.compare(second); {
	case c > 0:
		first, second, s = second, first, s.reverse()
	case c == 0 && (s == Before || s == After):
		s = Both
	}
	if p.pairs == nil {
		p.pairs = make(map[Pair]State)
	}
	pair := Pair{o, first, second}
	p.pairs[pair] = p.pairs[pair].Join(s)
}

// Merge adds the contents of another profile. It is commutative, associative and idempotent.
func (p *Profile) Merge(other *Profile) {
	for name, pairs := range other.types {
		p.addType(name, slices.Collect(maps.Keys(pairs))...)
	}
	for o, ops := range other.ops {
		for op := range ops {
			p.addOp(o, op)
		}
	}
	for pair, s := range other.pairs {
		p.addPair(pair.Object, pair.First, pair.Second, s)
	}
}

// Only returns the part of the profile about the code of some packages: operations in them, and
// pairs of two such operations. O(n) in the lines of the profile.
func (p *Profile) Only(of func(path string) bool) *Profile {
	part := new(Profile)
	types := make(map[string]bool)
	for o, ops := range p.ops {
		for op := range ops {
			if of(op.Package()) {
				part.addOp(o, op)
				types[o.Type] = true
			}
		}
	}
	for pair, s := range p.pairs {
		if of(pair.First.Package()) && of(pair.Second.Package()) {
			part.addPair(pair.Object, pair.First, pair.Second, s)
			types[pair.Object.Type] = true
		}
	}
	for name, pairs := range p.types {
		if types[name] {
			part.addType(name, slices.Collect(maps.Keys(pairs))...)
		}
	}
	return part
}

// Packages are the import paths of the packages that operations are in, sorted.
func (p *Profile) Packages() []string {
	set := make(map[string]bool)
	for _, ops := range p.ops {
		for op := range ops {
			set[op.Package()] = true
		}
	}
	for pair := range p.pairs {
		set[pair.First.Package()], set[pair.Second.Package()] = true, true
	}
	return slices.Sorted(maps.Keys(set))
}

// Empty reports whether the profile has no operations.
func (p *Profile) Empty() bool { return len(p.ops) == 0 && len(p.pairs) == 0 }
