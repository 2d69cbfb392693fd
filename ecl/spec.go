// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// A Role is the role of a method. The levels of reports depend on it.
type Role byte

const (
	Mutator  Role = 'm' // any other method; the role of methods without a directive
	Observer Role = 'o' // changes nothing
	Arbiter  Role = 'a' // checks and acts in one call
)

// String is the word that specifications have for the role.
func (r Role) String() string {
	switch r {
	case Observer:
		return "observer"
	case Arbiter:
		return "arbiter"
	}
	return "mutator"
}

// A Spec is the specification of one type: its methods and, for every pair of
// them, the formula under which two calls commute.
type Spec struct {
	Pos     token.Position // of the type directive, or of the text's first line
	NamePos token.Position // of the name in a type directive; not valid in a type's doc comment
	Path    string         // import path, "sync"; empty in a type's doc comment
	Name    string         // type name, "Map"
	Methods []*Method
	Pairs   []*Pair
	Also    []*Also

	// Open: calls are synchronization themselves, and nothing inside is hidden.
	Open bool
	// Derived: the formulas say what the code does, not what its user wants. A race that breaks no
	// check and act, and no transaction, is not reported.
	Derived bool
	// Object: Name is a package-level variable, and the methods are functions of its package.
	Object bool
	// Module has the versions that the spec applies to; nil means all.
	Module *Module
	// Identity is the field that all copies of an object share, for types whose methods have value
	// receivers; it may be empty.
	Identity string
	// Shared is the kind of that field, or of the type: pointer, map, chan or slice. It is set by
	// the reader of the type's declaration, as is Abstract.
	Shared string
	// Abstract: Name is an interface.
	Abstract bool
	// New is a Go expression that makes an object to test; it may be empty.
	New     string
	Samples []Sample // values to test with
	Refs    []Ref    // names in conditions that must be constants of the package

	IdentityPos, NewPos token.Position

	groups   []*methodGroup
	families []*family
	def      *bool // the formula of pairs that are not given
	defPos   token.Position
	source   []string // the lines from sourceAt
	sourceAt token.Position
}

// A Sample lists the values, Go expressions, that parameters of a type are tested with.
type Sample struct {
	Pos   token.Position
	Type  string // as it is written in the method's declaration
	Exprs []string
}

// A Ref is a name in a condition that is no variable of a call.
type Ref struct {
	Pos  token.Position
	Name string
}

// TypeName returns path and name, "sync.Map".
func (s *Spec) TypeName() string {
	if s.Path == "" {
		return s.Name
	}
	return s.Path + "." + s.Name
}

// A Method is one method of a specified type.
type Method struct {
	Pos      token.Position
	Index    int // in Spec.Methods
	Name     string
	Role     Role
	Params   []string // names in canonical form, "_" if no use names one
	Results  []string // the same; the returned ones first, then the shadow results
	Real     int      // how many of Results the method really returns
	Shadow   string   // Go expression that yields all Results; empty if none
	Callback string   // the parameter that is called; empty if none

	shadowPos, roleSet, callbackPos token.Position
	sig                             *signature // the first use with a parameter list
	resultsSig                      *signature // the first use with a result list
	uses                            []*signature
	atoms                           []string // Go expressions over canonical names, see convert.go
}

// Vars returns parameters and results in the order in which they are numbered.
func (m *Method) Vars() []string {
	return append(append([]string(nil), m.Params...), m.Results...)
}

// A Pair is one commute directive: the formula of two methods.
type Pair struct {
	Pos  token.Position // of the formula
	M    [2]*Method     // in the order of the directive
	Text string         // the directive's own words

	sig  [2]*signature
	expr ast.Expr   // nil if no directive gives the formula
	conv *converter // of expr
	f    *node      // the formula, in the fragment; set by check
}

// side prints a call of p; one of a method whose parameters are not known as a set.
func (p *Pair) side(i int) string {
	if p.sig[i].unnamed && p.M[i].Bare() {
		return "{" + p.M[i].Name + "}"
	}
	return p.sig[i].String()
}

// A signature is one use of a method: Put(k1, v1)/(p1).
type signature struct {
	pos               token.Position
	name              string
	hasParams, hasRes bool
	params, results   []variable
	real              int  // results before a semicolon
	split             bool // there was a semicolon
	verbatim          bool // a declaration: its names are the canonical ones
	unnamed           bool // a member of a set, of which no value is needed
}

// A variable is the name of a value in one use; "_" is none.
type variable struct {
	pos  token.Position
	name string
}

// vars are parameters and results, in the order of [Method.Vars].
func (g *signature) vars() []variable {
	return append(append([]variable(nil), g.params...), g.results...)
}

// String prints g as directives have it.
func (g *signature) String() string {
	var b strings.Builder
	b.WriteString(g.name)
	join := func(vs []variable) {
		for i, v := range vs {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(v.name)
		}
	}
	if g.hasParams {
		b.WriteByte('(')
		join(g.params)
		b.WriteByte(')')
	}
	if g.hasRes {
		b.WriteString("/(")
		join(g.results)
		b.WriteByte(')')
	}
	return b.String()
}

// String prints s as directives; parsed again they give an equal Spec.
func (s *Spec) String() string {
	var b strings.Builder
	s.header(&b)
	for _, m := range s.Methods {
		fmt.Fprintf(&b, "//ecl:%s %s\n", m.Role, m.display())
	}
	for _, m := range s.Methods {
		if m.Callback != "" {
			fmt.Fprintf(&b, "//ecl:callback %s\n", m.callbackDisplay())
		}
		if m.Shadow != "" {
			fmt.Fprintf(&b, "//ecl:shadow %s: %s\n", m.shadowDisplay(), m.Shadow)
		}
	}
	if s.def != nil {
		fmt.Fprintf(&b, "//ecl:default %v\n", *s.def)
	}
	for _, p := range s.Pairs {
		if p.expr != nil {
			fmt.Fprintf(&b, "//ecl:commute %s, %s: %s\n", p.side(0), p.side(1),
				types.ExprString(p.expr))
		}
	}
	for _, a := range s.Also {
		fmt.Fprintf(&b, "//ecl:also %s, %s: %s\n", a.sig[0], a.sig[1], types.ExprString(a.expr))
	}
	return b.String()
}

// header prints the directives that are about the type as such.
func (s *Spec) header(b *strings.Builder) {
	if s.Module != nil {
		fmt.Fprintf(b, "//ecl:module %s\n", s.Module)
	}
	switch {
	case s.Object:
		fmt.Fprintf(b, "//ecl:object %s\n", s.TypeName())
	case s.Name != "":
		fmt.Fprintf(b, "//ecl:type %s\n", s.TypeName())
	}
	if s.Open {
		b.WriteString("//ecl:open\n")
	}
	if s.Derived {
		b.WriteString("//ecl:derived\n")
	}
	if s.Identity != "" {
		fmt.Fprintf(b, "//ecl:identity %s\n", s.Identity)
	}
	if s.New != "" {
		fmt.Fprintf(b, "//ecl:new %s\n", s.New)
	}
	for _, v := range s.Samples {
		fmt.Fprintf(b, "//ecl:sample %s: %s\n", v.Type, strings.Join(v.Exprs, ", "))
	}
}

// display prints m's declaration, "Load(k)/(v, ok)".
func (m *Method) display() string {
	if m.sig == nil {
		return m.Name
	}
	s := m.Name + "(" + strings.Join(m.Params, ", ") + ")"
	if m.resultsSig != nil {
		s += "/(" + strings.Join(m.Results, ", ") + ")"
	}
	return s
}

// numbered prints a call of m whose variables have a number, "Load(k1)/(v1, ok1)".
func (m *Method) numbered(call int) string {
	names := func(vs []string) string {
		var list []string
		for _, v := range vs {
			if v != "_" {
				v = fmt.Sprint(v, call)
			}
			list = append(list, v)
		}
		return "(" + strings.Join(list, ", ") + ")"
	}
	s := m.Name + names(m.Params)
	if m.resultsSig != nil {
		s += "/" + names(m.Results[:m.Real])
	}
	return s
}

// callbackDisplay prints m with the parameter that it calls, "Update(_, f)".
func (m *Method) callbackDisplay() string {
	names := make([]string, len(m.Params))
	for i, p := range m.Params {
		names[i] = "_"
		if p == m.Callback {
			names[i] = p
		}
	}
	return m.Name + "(" + strings.Join(names, ", ") + ")"
}

// shadowDisplay prints m's declaration with a semicolon before its shadow results.
func (m *Method) shadowDisplay() string {
	s := m.Name + "(" + strings.Join(m.Params, ", ") + ")/("
	if m.Real > 0 {
		s += strings.Join(m.Results[:m.Real], ", ") + "; "
	}
	return s + strings.Join(m.Results[m.Real:], ", ") + ")"
}
