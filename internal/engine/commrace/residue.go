// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// residue reports whether the specification says that two calls whose points conflict commute all
// the same, for reasons that are outside ECL.
func (o *Object) residue(a, b *Action, s Sink) bool {
	if a.Method > b.Method {
		a, b = b, a
	}
	fm := o.Table().Formula(a.Method, b.Method)
	if fm.nalso == 0 || a.nargs == 0 || b.nargs == 0 {
		return false
	}
	for i := range fm.also[:fm.nalso] {
		if c := &fm.also[i]; c.holds(o.Table(), a, b, s) || a.Method == b.Method && c.holds(o.Table(), b, a, s) {
			return true
		}
	}
	return false
}

func (c *conjunction) holds(t *Table, a, b *Action, s Sink) bool {
	for _, at := range c.atom[:c.n] {
		ok := false
		x := a
		if at.Of == 1 {
			x = b
		}
		switch at.Op {
		case '=':
			ok = a.hash[at.I] == b.hash[at.J]
		case '!':
			ok = a.hash[at.I] != b.hash[at.J]
		case '~':
			ok = s.Unused(t, x)
		default:
			arg := &x.args[at.I]
			ok = arg.Len == 1 && (arg.buf[0] != 0) == (at.Op == '+')
		}
		if !ok {
			return false
		}
	}
	return true
}

// unused reports whether it matters for a's method that results are not used, and a's isn't.
func (o *Object) unused(a *Action, s Sink) bool {
	return o.Table().Methods[a.Method].ignored && s.Unused(o.Table(), a)
}
