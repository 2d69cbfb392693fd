// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// The text form of a table is a line for each of its parts, with fields that are separated by tabs.
// A line refers to parts by numbers that earlier lines have given. Package ecl writes it
// (ecl.Table.Encode), and its first line names the version.

// Decode reads the text form of a table. It reports where the text is not one that it understands.
// The table is never freed: there is one for each type of the program.
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

// line reads one line, of which f is what comes after its kind.
func (t *Table) line(kind, f string) bool {
	switch kind {
	case "type":
		// The methods of sync.Map announce nothing that package runtime sees of their taking
		// effect.
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

// methodLine reads a method's number, name, role, flags, parameters, results and visible results.
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
	m := Method{
		Name: field[1], Role: Role(field[2][0]),
		Params: field[4], Results: field[5], Visible: number(field[6]),
	}
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

// method is the method with a number, nil if there is none.
func (t *Table) method(s string) *Method {
	if i := number(s); i >= 0 && i < t.methods {
		return &t.Methods[i]
	}
	return nil
}

// keysLine reads which arguments of a method are its keys.
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

// pointLine reads a point. Keyed and global points are numbered each by themselves too, as their
// lists lie in different arrays.
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

// touchLine reads what a method touches in one case of its results. The array of cases is replaced
// by one of twice the length when it is full.
func (t *Table) touchLine(f string) bool {
	s, f := cut(f, '\t')
	m := t.method(s)
	s, f = cut(f, '\t')
	beta := number(s)
	if m == nil || beta != m.betas || beta >= 1<<12 {
		return false // the cases come in order
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

// at is the i-th of the sets that begin at base.
func at(base **touches, i int) **touches {
	return (**touches)(unsafe.Add(unsafe.Pointer(base), uintptr(i)*unsafe.Sizeof(*base)))
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

// formulaLine reads the formula of two methods, or one more semantic exception of it.
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
	if fm.nExceptions == len(fm.exceptions) {
		return false
	}
	c := &fm.exceptions[fm.nExceptions]
	fm.nExceptions++
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
			t.Methods[i].hashed |= 1 << a.i
			t.Methods[j].hashed |= 1 << a.j
		case '~':
			t.Methods[[2]int{i, j}[a.call]].asksUnused = true
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

// cut is strings.Cut, which is out of reach here; after is empty where there is no separator.
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
