// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/commutego/commute/internal/engine/term"
)

// inSections is the check that finds checks and acts in two critical sections of a lock.
const inSections = "sections"

// Sections has the data about a check and an act in two critical sections of a lock. In the
// Finding, Decided is the check, At is the act, and Previous is the event of another goroutine that
// comes between the two, or can come.
type Sections struct {
	Func    string `json:"func"`                   // that checks and acts
	Lock    string `json:"lock,omitempty"`         // by its type
	Address string `json:"lock_address,omitempty"` // hexadecimal
	From    string `json:"from"`                   // file:line where Func checks
	To      string `json:"to"`                     // and where it acts
	Check   Touch  `json:"check"`                  // the access of the check
	Act     Touch  `json:"act"`                    // the access of the act
	Other   Touch  `json:"other"`                  // the access of the other goroutine
	Mend    string `json:"mend"`                   // how to mend it
}

// A Touch is an access to data that a lock guards.
type Touch struct {
	Of     string `json:"of"`               // a variable, a key of a map, or a length
	Does   string `json:"does"`             // read, write, change, delete or clear
	At     string `json:"at"`               // file:line
	Absent bool   `json:"absent,omitempty"` // the key was not there
	Value  string `json:"value,omitempty"`  // what was read or written, if it is known
	Was    string `json:"was,omitempty"`    // what was there before
}

// sections writes a check and an act in two critical sections.
func (r *Finding) sections(b *strings.Builder) {
	s := r.Sections
	mine := goroutine(r.At.Goroutine, r.At.Thread)
	others := goroutine(r.Previous.Goroutine, r.Previous.Thread)
	what := s.Act.Of
	if what == s.Check.Of {
		what = "it"
	}
	first, label := "looks at", "Check: "
	if s.Check.Does != "read" { // two variables are set one by one
		first, label = s.Check.verb(), "First: "
	}
	fmt.Fprintf(b, "%s %s %s and then %s %s", s.Func, first, s.Check.Of, s.Act.verb(), what)
	if s.Lock != "" {
		fmt.Fprintf(b, ", with %s free in between", s.Lock)
	}
	word := "In between: "
	switch r.Evidence {
	case Observed:
		fmt.Fprintf(b, ": %s was interfered with by %s\n\n", mine, others)
	case Predicted:
		fmt.Fprintf(b, ": %s can be interfered with by %s\n\n", mine, others)
	default:
		fmt.Fprintf(b, ": %s can look before %s %s\n\n", others, mine, s.Act.verb())
		word = "The other's check: "
	}
	fmt.Fprintf(b, "  %-*s%s\n", column, mine, others)
	fmt.Fprintf(b, "  %s\n  %-*s%s\n  %s\n\n", s.Check.step(), column, "", s.Other.step(),
		s.Act.step())
	r.excerpt(b)
	r.guarded(b)
	r.touch(b, label, &s.Check, r.Decided)
	r.touch(b, "Act: ", &s.Act, &r.At)
	r.touch(b, word, &s.Other, r.Previous)
	r.origins(b)
}

// step is a touch and its place.
func (t *Touch) step() string { return path.Base(t.At) + "  " + t.Does + " " + t.Of + t.value() }

// value is what was read or written, and what was there before, as far as that is known.
func (t *Touch) value() (text string) {
	switch {
	case t.Does == "delete":
	case t.Absent:
		text = " is absent"
	case t.Value != "":
		text = " = " + t.Value
	}
	if t.Was != "" {
		text += " (was " + t.Was + ")"
	}
	return text
}

// verb is what a touch does, in a sentence.
func (t *Touch) verb() string {
	switch t.Does {
	case "write":
		return "sets"
	case "delete", "clear":
		return t.Does + "s"
	}
	return "changes"
}

// touch writes a touch with its stack.
func (r *Finding) touch(b *strings.Builder, word string, t *Touch, e *Event) {
	fmt.Fprintf(b, "%s%s%s%s", word, t.Of, pick(t.Does == "delete", " is deleted", ""), t.value())
	fmt.Fprintf(b, " by %s", goroutine(e.Goroutine, e.Thread))
	if r.Sections.Lock != "" {
		fmt.Fprintf(b, ", under %s", r.Sections.Lock)
	}
	b.WriteString(":\n")
	frames(b, e.Stack)
	b.WriteString("\n")
}

// guarded writes what may come of it, and why, how to mend it, and what was touched.
func (r *Finding) guarded(b *strings.Builder) {
	s := r.Sections
	fmt.Fprintf(b, "What can go wrong: %s: %s\n", r.Effect, r.Why)
	why := term.WhyTwin
	if r.Evidence != Race {
		parts := term.WhyPossible(string(r.Evidence), "the act", "what is in between")
		why = strings.Join(parts[:], "")
	}
	fmt.Fprintf(b, "Evidence: %s: %s\n", r.Evidence, why)
	r.happened(b)
	r.advice(b)
	fmt.Fprintf(b, "More of it: commute explain %s\n", r.Effect.page())
	if o := r.Object; o != nil {
		fmt.Fprintf(b, "Object: %s", o.Name)
		if o.DeclaredAt != "" {
			fmt.Fprintf(b, ", declared at %s,", o.DeclaredAt)
		}
		fmt.Fprintf(b, " at %s", o.Address)
		if s.Lock != "" {
			fmt.Fprintf(b, ", under %s at %s", s.Lock, s.Address)
		}
		b.WriteString("\n")
		if o.Key != "" {
			fmt.Fprintf(b, "Key: %s\n", o.Key)
		}
	}
	b.WriteString("\n")
}
