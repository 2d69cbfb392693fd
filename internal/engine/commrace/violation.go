// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

// A Violation says how a race breaks a check-then-act; a later one is worse. See checkact.go.
type Violation byte

// The violations.
const (
	NoViolation    Violation = iota
	SymmetricCheck           // two goroutines may both check, and then both act
	Predicted                // the interfering call could have come between the check and the act
	Observed                 // the interfering call came between them
)

// classify fills in how the race breaks a check-then-act, the worst way if there are several. The
// object's lock is held, and must have been since r was found: the lists of checks change.
//
// Where First is the act, the order was C, A, X. Then X can be a symmetric check, or the violation
// is predicted: X may not have begun before the check, must not commute with it, and must be a
// call that would have changed what the check saw.
func (r *Race) classify(t *Table, s Sink) {
	for k := r.Second.checks.head.P(); k != nil; k = k.next.P() {
		r.classifySecond(t, k, s)
	}
	for k := r.First.checks.head.P(); k != nil; k = k.next.P() {
		switch {
		case t.Methods[r.Second.Method].Role == Observer:
			r.classifySymmetric(t, k, r.Second, false, s)
		case k.unknownUntil < r.Second.began && t.conflict(k.call.P(), r.Second, s) &&
			wouldChange(t, k, r.Second):
			r.setViolation(Predicted, k, false)
		}
	}
	if r.Check != nil {
		r.Check.ref()
	}
}

// classifySecond is classify for a check k of the second call, which is the act. The first call is
// X. If X began before the check had ended, X may have come before it: that is no violation.
func (r *Race) classifySecond(t *Table, k *earlierCheck, s Sink) {
	x := r.First
	switch {
	case t.Methods[x.Method].Role == Observer:
		r.classifySymmetric(t, k, x, true, s)
	case k.unknownUntil >= x.began || !t.conflict(k.call.P(), x, s):
	case x.ended <= r.Second.began:
		r.setViolation(Observed, k, true) // it ended before the act began
	case wouldChange(t, k, x): // it overlapped the act, and may have come after
		r.setViolation(Predicted, k, true)
	}
}

// classifySymmetric is classify for the act with check k, and another goroutine's observation x.
// The question is whether x is the same check, at the same place and of the same keys, with the
// same outcome.
func (r *Race) classifySymmetric(
	t *Table, k *earlierCheck, x *Action, actSecond bool, s Sink,
) {
	c := k.call.P()
	act := r.First
	if actSecond {
		act = r.Second
	}
	if x.Method != c.Method || x.At.Site != k.at.Site || !t.Methods[c.Method].sameKeys(c, x) {
		return
	}
	if actSecond && (k.valueUnknown || x.valueUnknown || !sameValues(c, x)) ||
		!actSecond && k.maybeStale || !s.SameCheck(t, c, act, x) {
		return // x did not see what the check saw, or would not have, had it come before the act
	}
	r.setViolation(SymmetricCheck, k, actSecond)
}

// setViolation notes a violation with check k, unless one is known that is as bad.
func (r *Race) setViolation(b Violation, k *earlierCheck, actSecond bool) {
	if b <= r.Violation {
		return
	}
	r.Violation, r.Check, r.CheckAt = b, k.call.P(), k.at
	r.ValueUnknown, r.ActSecond = k.valueUnknown, actSecond
	r.SameCode = b == SymmetricCheck
	// The other goroutine runs the same code if its call is the same act with the same check.
	if x := r.Interfering(); x.At.Site == r.Act().At.Site {
		for i := x.checks.head.P(); i != nil; i = i.next.P() {
			r.SameCode = r.SameCode || i.at.Site == k.at.Site
		}
	}
}

// sameKeys reports whether two calls of the method have the same keys.
func (m *Method) sameKeys(a, b *Action) bool {
	for i := range m.nkeys {
		if a.keys[i] != b.keys[i] {
			return false
		}
	}
	return true
}
