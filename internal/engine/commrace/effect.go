// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// What a call would have changed, and whether two calls have returned the same.

// wouldChange reports whether x would have changed what k saw, had it come right after. X was made
// in another state. It may have changed something then, and change nothing right after k, or the
// other way round. So x counts if the calls conflict whatever x returns. Where the specification
// asks what x returned, a mutator is taken to change whatever it finds. The exception is a value
// that x puts there and that was there already.
func wouldChange(t *Table, k *earlierCheck, x *Action) bool {
	c := k.call.P()
	m := &t.Methods[x.Method]
	if m.Role != Mutator {
		return false
	}
	always := m.betas <= maxBetas
	for beta := range min(m.betas, maxBetas) {
		always = always && t.conflictingTouches(
			t.touched(c.Method, c.beta), c, t.touched(x.Method, uint32(beta)), x)
	}
	return always ||
		!k.valueUnknown && !x.valueUnknown && m.putsNewValue(x, &t.Methods[c.Method], c)
}

// maxBetas bounds the cases of what a call may have returned that wouldChange looks at.
const maxBetas = 256

// putsNewValue reports whether x is given a value that is no key, and c, a call of method seen, did
// not return any such value.
func (m *Method) putsNewValue(x *Action, seen *Method, c *Action) bool {
	put, results := false, seen.NParams()
	for i := range min(m.NParams(), len(x.Args())) {
		if m.isKey(i) {
			continue
		}
		put = true
		for j := results; j < len(c.Args()); j++ {
			if sameValue(&x.args[i], &c.args[j]) {
				return false
			}
		}
	}
	return put && results < len(c.Args())
}

// isKey reports whether an argument is one of the method's keys.
func (m *Method) isKey(arg int) bool {
	for _, k := range m.keys[:m.nkeys] {
		if int(k) == arg {
			return true
		}
	}
	return false
}

// sameValue reports whether two values may be equal, as far as they are kept.
func sameValue(a, b *Arg) bool {
	return a.Type == b.Type && a.Len == b.Len && string(a.Bytes()) == string(b.Bytes())
}

// sameValues reports whether two calls of a method have the same arguments and results, as far as
// those are kept.
func sameValues(a, b *Action) bool {
	for i := range a.Args() {
		if i >= len(b.Args()) || !sameValue(&a.args[i], &b.args[i]) {
			return false
		}
	}
	return true
}
