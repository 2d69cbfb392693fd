// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

// fragment brings n, or its negation, into the shape of definition 6.3,
//
//	X ::= S | B | X && X | X || B
//
// or says which subformula breaks which rule. Negations are driven inwards (De Morgan) down to
// subformulas without disequalities. Those are in B whatever their shape, and stay as they are. A
// negated disequality is x1 == y2, which ECL cannot express.
func (c *converter) fragment(n *node, negated bool) (*node, *Error) {
	if n.pureB() {
		if negated {
			return not(n), nil
		}
		return n, nil
	}
	switch n.op {
	case opNeq:
		if negated {
			return nil, c.outside(n, "between two calls S has only x1 != y2",
				"two-sided equality may stand in //ecl:also; for two booleans write x && y "+
					"|| !x && !y")
		}
		return n, nil
	case opNot:
		return c.fragment(n.operands[0], !negated)
	case opIff:
		return nil,
			c.outside(n, "conditions may only be compared in B, without values of the other call",
				"spell it out with && and ||")
	}
	out := &node{op: n.op, off: n.off, end: n.end}
	if negated {
		out.op = opAnd + opOr - n.op // De Morgan: the other of the two
	}
	var mixed []*node // the operands with disequalities: X of X || B
	for _, k := range n.operands {
		k2, err := c.fragment(k, negated)
		if err != nil {
			return nil, err
		}
		if !k2.pureB() {
			mixed = append(mixed, k)
		}
		if k2.op == out.op {
			out.operands = append(out.operands, k2.operands...)
		} else {
			out.operands = append(out.operands, k2)
		}
	}
	if out.op == opOr && len(mixed) > 1 {
		return nil, c.outside(n, "X || B: only one side of || may compare values of the two calls",
			"'"+c.text(mixed[0].off, mixed[0].end)+"' and '"+c.text(mixed[1].off,
				mixed[1].end)+"' both do")
	}
	return out, nil
}

// outside is the error that n breaks a rule of the fragment.
func (c *converter) outside(n *node, rule, hint string) *Error {
	return errorf(c.position(n.off), hint, "%s is outside ECL: %s", c.text(n.off, n.end), rule)
}
