// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"strings"
)

// actAndOther are the two sides of a check-then-act race.
func (r *Finding) actAndOther() (act, other *Event) {
	if r.Act == "previous" {
		return r.Previous, &r.At
	}
	return &r.At, r.Previous
}

// breach writes a check, the act that it decides, and the call that breaks the two.
func (r *Finding) breach(b *strings.Builder) {
	act, other := r.actAndOther()
	in := ""
	if len(r.Decided.Stack) > r.DecidedIn {
		in = r.Decided.Stack[r.DecidedIn].Func
	}
	mine := goroutine(act.Goroutine, act.Thread)
	others := goroutine(other.Goroutine, other.Thread)
	fmt.Fprintf(b, "%s checks with %s and then acts with %s, which is not atomic: ", in,
		r.Decided.Method, act.Method)
	word := "In between: "
	switch r.Evidence {
	case Observed:
		fmt.Fprintf(b, "%s was interfered with by %s\n\n", mine, others)
	case Predicted:
		fmt.Fprintf(b, "%s can be interfered with by %s\n\n", mine, others)
	default:
		fmt.Fprintf(b, "%s can check before %s acts\n\n", others, mine)
		word = "The other's check: "
	}
	r.interleaving(b, act, *other, *r.Decided, *other, *act)
	if r.Object != nil {
		r.outcome(b)
		r.object(b)
	}
	fmt.Fprintf(b, "Check: %s by %s, in the function that acts:\n", r.call(r.Decided), mine)
	frames(b, r.Decided.Stack[:min(len(r.Decided.Stack), r.DecidedIn+1)])
	fmt.Fprintf(b, "\nAct: %s by %s:\n", r.call(act), mine)
	frames(b, act.Stack)
	fmt.Fprintf(b, "\n%s%s by %s:\n", word, r.call(other), others)
	frames(b, other.Stack)
	b.WriteString("\n")
	r.origins(b)
	r.formula(b)
	r.stacks(b)
}
