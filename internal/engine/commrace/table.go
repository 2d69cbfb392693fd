// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/term"
)

const (
	maxPoints  = 64
	maxMethods = 64
	maxKeys    = 4
	maxArgs    = 6
)

// A Role says what a method is for; specifications name it, and it decides what a race means.
type Role byte

const (
	Observer Role = term.Observer // changes nothing
	Mutator  Role = term.Mutator  // changes whatever it finds
	Arbiter  Role = term.Arbiter  // checks and acts in one
)

// A Table is a decoded specification: an access point representation (definition 4.4).
type Table struct {
	Type    string
	Methods [maxMethods]Method
	methods int
	points  [maxPoints]point
	keyed   int  // number of keyed points
	quiet   bool // calls may take effect without an announcement
	global  int
	formula *[maxMethods][maxMethods]Formula

	Called atomic.Uint32 // 1 if the program has called a method
}

// A Method of the type.
type Method struct {
	Name     string
	Role     Role
	Callback bool   // it calls back into the program while it is under way
	Open     bool   // it is synchronization itself: nothing that it does is hidden
	Params   string // names, comma separated
	Results  string
	Visible  int // the number of results that callers see; the others are shadows
	keys     [maxKeys]uint8
	nkeys    int
	residue  uint8 // bit i: argument i is in a residue, so its hash is kept
	ignored  bool  // there is a residue that asks whether its result is used
	touch    **touches
	betas    int
	may      touches // what it may touch, whatever its results
}

// NParams is the number of parameters.
func (m *Method) NParams() int {
	n := 0
	for names := m.Params; names != ""; n++ {
		_, names = cut(names, ',')
	}
	return n
}

// Key is the index of the argument that is the first key.
func (m *Method) Key() int { return int(m.keys[0]) }

// Values is the number of parameters that are no keys.
func (m *Method) Values() (n int) {
	if m.Params == "" {
		return 0
	}
	n = 1 - m.nkeys
	for i := range len(m.Params) {
		if m.Params[i] == ',' {
			n++
		}
	}
	return n
}

// Len is the number of methods.
func (t *Table) Len() int { return t.methods }

// touches is a set of points.
type touches struct {
	n   int
	all [12]touch
}

// A touch is a point: its number, which of the call's keys it has (or 0), and where its list is.
type touch struct {
	point, key uint8
	index      uint8
	keyed      bool
}

// A point is a class of access points: one for each key, or one for the object.
type point struct {
	name      string
	keyed     bool
	index     int    // among the keyed, or among the global
	conflicts uint64 // set of points
	dominated uint64 // points that conflict with nothing that this one doesn't conflict with
}

// A Formula is what the specification says of two methods.
type Formula struct {
	Text, Pos string
	also      [4]conjunction // the residue: one of these makes the calls commute
	nalso     int
}

// A conjunction is an alternative of a residue.
type conjunction struct {
	n    int
	atom [6]atom
}

// An atom of a residue: op '=' or '!' compares argument i of the first call with j of the second;
// '+' or '-' says that argument i of call (0 or 1) is true or false, '~' that its caller doesn't use it.
type atom struct {
	op   byte
	call uint8
	i, j uint8
}

// Decode reads the text form of a table (ecl.Table.Encode). It reports where the text is not one
// that it understands.
func Decode(text string) (*Table, bool) {
	t := (*Table)(host.Alloc(unsafe.Sizeof(Table{})))
	t.formula = (*[maxMethods][maxMethods]Formula)(host.Alloc(unsafe.Sizeof(*t.formula)))
	line, rest := cut(text, '\n')
	if line != "ecl1" {
		return nil, false
	}
	for rest != "" {
		line, rest = cut(rest, '\n')
		kind, fields := cut(line, '\t')
		if kind == "end" {
			t.close()
			return t, true
		}
		if !t.line(kind, fields) {
			return nil, false
		}
	}
	return nil, false
}

func (t *Table) line(kind, f string) bool {
	switch kind {
	case "type":
		t.Type, t.quiet = f, f == "sync.Map"
		return true
	case "method":
		return t.methodLine(f)
	case "keys":
		return t.keysLine(f)
	case "point":
		return t.pointLine(f)
	case "conflict":
		a, b := cut(f, '\t')
		i, j := number(a), number(b)
		if i < 0 || j < 0 || i >= maxPoints || j >= maxPoints {
			return false
		}
		t.points[i].conflicts |= 1 << j
		t.points[j].conflicts |= 1 << i
		return true
	case "touch":
		return t.touchLine(f)
	case "formula", "also":
		return t.formulaLine(kind, f)
	}
	return false
}

func (t *Table) methodLine(f string) bool {
	var field [7]string
	for i := range field {
		field[i], f = cut(f, '\t')
	}
	i := number(field[0])
	if i < 0 || i >= maxMethods || field[2] == "" {
		return false
	}
	t.methods = max(t.methods, i+1)
	m := Method{Name: field[1], Role: Role(field[2][0]), Params: field[4], Results: field[5], Visible: number(field[6])}
	for k := range len(field[3]) {
		switch field[3][k] {
		case 'c':
			m.Callback = true
		case 'o':
			m.Open = true
		case '-':
		default:
			return false
		}
	}
	t.Methods[i] = m
	return true
}

func (t *Table) method(s string) *Method {
	if i := number(s); i >= 0 && i < t.methods {
		return &t.Methods[i]
	}
	return nil
}

func (t *Table) keysLine(f string) bool {
	s, f := cut(f, '\t')
	m := t.method(s)
	if m == nil {
		return false
	}
	for f != "" {
		s, f = cut(f, '\t')
		k := number(s)
		if k < 0 || k >= maxArgs || m.nkeys == maxKeys {
			return false
		}
		m.keys[m.nkeys] = uint8(k)
		m.nkeys++
	}
	return true
}

func (t *Table) pointLine(f string) bool {
	s, f := cut(f, '\t')
	kind, name := cut(f, '\t')
	i := number(s)
	if i < 0 || i >= maxPoints {
		return false
	}
	p := point{name: name, keyed: kind == "k", index: t.global}
	if p.keyed {
		p.index = t.keyed
		t.keyed++
	} else {
		t.global++
	}
	t.points[i] = p
	return true
}

func (t *Table) touchLine(f string) bool {
	s, f := cut(f, '\t')
	m := t.method(s)
	s, f = cut(f, '\t')
	beta := number(s)
	if m == nil || beta != m.betas || beta >= 1<<12 {
		return false // betas come in order
	}
	set := (*touches)(host.Alloc(unsafe.Sizeof(touches{})))
	for f != "" {
		s, f = cut(f, '\t')
		p, k := cut(s, ':')
		key := max(number(k), 0)
		if number(p) < 0 || number(p) >= maxPoints || key >= maxKeys || set.n == len(set.all) {
			return false
		}
		n := uint8(number(p))
		set.add(n, uint8(key), &t.points[n])
		m.may.add(n, uint8(key), &t.points[n])
	}
	if m.betas&(m.betas-1) == 0 { // full, or the first: the next power of two
		bigger := (**touches)(host.Alloc(max(2*uintptr(m.betas), 1) * unsafe.Sizeof(set)))
		for i := range m.betas {
			*at(bigger, i) = *at(m.touch, i)
		}
		m.touch = bigger
	}
	*at(m.touch, m.betas) = set
	m.betas++
	return true
}

func at(base **touches, i int) **touches {
	return (**touches)(unsafe.Add(unsafe.Pointer(base), uintptr(i)*unsafe.Sizeof(*base)))
}

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

func (t *Table) formulaLine(kind, f string) bool {
	s, f := cut(f, '\t')
	i := number(s)
	s, f = cut(f, '\t')
	j := number(s)
	if i < 0 || j < i || j >= t.methods {
		return false
	}
	fm := &t.formula[i][j]
	if kind == "formula" {
		fm.Pos, fm.Text = cut(f, '\t')
		return true
	}
	if fm.nalso == len(fm.also) {
		return false
	}
	c := &fm.also[fm.nalso]
	fm.nalso++
	for f != "" {
		s, f = cut(f, ',')
		a, ok := decodeAtom(s)
		if !ok || c.n == len(c.atom) {
			return false
		}
		c.atom[c.n] = a
		c.n++
		switch a.op {
		case '=', '!':
			t.Methods[i].residue |= 1 << a.i
			t.Methods[j].residue |= 1 << a.j
		case '~':
			t.Methods[[2]int{i, j}[a.call]].ignored = true
		}
	}
	return true
}

// decodeAtom reads i=j, i!j, a+i, a-i, a~i, b+i, b-i or b~i.
func decodeAtom(s string) (a atom, ok bool) {
	for k := range len(s) {
		a.op = s[k]
		switch a.op {
		case '=', '!':
			i, j := number(s[:k]), number(s[k+1:])
			a.i, a.j = uint8(i), uint8(j)
			return a, i >= 0 && j >= 0 && i < maxArgs && j < maxArgs
		case '+', '-', '~':
			i := number(s[k+1:])
			a.i = uint8(i)
			if s[:k] == "b" {
				a.call = 1
			}
			return a, i >= 0 && i < maxArgs && (s[:k] == "a" || s[:k] == "b")
		}
	}
	return a, false
}

// OnlyResults reports whether calls that don't commute by the formula leave the object the same in
// either order: they commute if nobody uses their results.
func (f *Formula) OnlyResults() bool {
	for _, c := range f.also[:f.nalso] {
		only := true
		for _, a := range c.atom[:c.n] {
			only = only && a.op == '~'
		}
		if only {
			return true
		}
	}
	return false
}

// close computes what follows from the lines.
func (t *Table) close() {
	for i := range t.points {
		p := &t.points[i]
		for j := range t.points {
			if q := &t.points[j]; q.conflicts != 0 && q.keyed == p.keyed && q.conflicts&^p.conflicts == 0 {
				p.dominated |= 1 << j
			}
		}
	}
}

// touched returns the points of a call.
func (t *Table) touched(method, beta uint32) *touches {
	m := &t.Methods[method]
	if int(beta) >= m.betas {
		return &m.may // not of this table; can't be, but nothing is missed
	}
	return *at(m.touch, int(beta))
}

// Formula returns what the specification says of methods i and j.
func (t *Table) Formula(i, j uint32) *Formula { return &t.formula[min(i, j)][max(i, j)] }

func cut(s string, sep byte) (before, after string) {
	for i := 0; i < len(s); i++ {
		if s[i] == sep {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}

// number is the value of a string of decimal digits, -1 if it isn't one.
func number(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' || n > 1<<20 {
			return -1
		}
		n = 10*n + int(s[i]-'0')
	}
	if s == "" {
		return -1
	}
	return n
}
