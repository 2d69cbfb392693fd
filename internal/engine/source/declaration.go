// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// A Declaration is the variable or field that an object is, as far as a call's source tells.
type Declaration struct {
	Kind string // a compiled.DeclKind, or ambiguous; "" if nothing is known
	Key  Key
	Name string
	Pos  string // file:line
}

// A Key is what tells declarations apart.
type Key struct {
	Known   bool // a call's source tells of the object, or an address does
	Package string
	Name    string
	Pos     string // file:line; none of a variable that an address tells
}

// Compare orders keys: it is negative if k comes before other, and 0 if they are the same.
func (k *Key) Compare(other *Key) int {
	if k.Known != other.Known {
		if other.Known {
			return -1
		}
		return 1
	}
	if c := compare(k.Package, other.Package); c != 0 {
		return c
	}
	if c := compare(k.Name, other.Name); c != 0 {
		return c
	}
	return compare(k.Pos, other.Pos)
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Hash is the same for the same keys.
func (k *Key) Hash() uint64 {
	return hashText(hashText(hashText(hashBasis, k.Package), k.Name), k.Pos)
}

// Rank says how well a declaration identifies objects.
func (d *Declaration) Rank() int {
	switch d.Kind {
	case string(compiled.GlobalVar), string(compiled.StructField), ambiguous:
		return 3
	case string(compiled.LocalVar):
		return 2
	case string(compiled.Param), string(compiled.OtherDecl):
		return 1
	}
	return 0
}

// ambiguous is the kind where calls on one line are made on several objects.
const ambiguous = "ambiguous"

// Declare finds the declaration of the receiver of the call of a method at fr.
func Declare(fr host.Frame, method string) (d Declaration) {
	Sites(fr, method, func(s *compiled.Site) {
		c := declarationOf(s)
		switch {
		case c.Rank() > d.Rank():
			d = c
		case c.Rank() < d.Rank() || c.Key == d.Key:
		case Directed(compiled.Concurrent, host.Frame{}, &c):
			d = c // rather miss the other's races than cry wolf
		case d.Name == "" || !Directed(compiled.Concurrent, host.Frame{}, &d):
			d.Kind, d.Name, d.Pos = ambiguous, "", "" // two objects on one line
		}
	})
	return d
}

// declarationOf is what a call's site tells of its object.
func declarationOf(s *compiled.Site) Declaration {
	return Declaration{
		Kind: string(s.Decl),
		Key:  Key{Known: true, Package: s.Home, Name: s.Name, Pos: s.Pos},
		Name: s.Name,
		Pos:  s.Pos,
	}
}

// Touched is the variable or field that a touch is of.
func Touched(t *compiled.SectionTouch) Declaration {
	kind := compiled.StructField
	if t.Local {
		kind = compiled.GlobalVar
	}
	pkg := t.Point
	if n := len(pkg) - len(t.Name) - 1; n > 0 && pkg[n+1:] == t.Name {
		pkg = pkg[:n]
	}
	return Declaration{Kind: string(kind), Name: t.Name, Pos: t.Decl,
		Key: Key{Known: true, Package: pkg, Name: t.Name, Pos: t.Decl}}
}
