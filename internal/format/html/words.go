// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/report"
)

// reportText is the report as the program has printed it, or would.
func reportText(f *report.Finding) string {
	switch {
	case f.Report != "":
		return f.Report
	case f.Evidence == report.Static:
		return strings.TrimSpace(f.At.At + ": " + f.Headline)
	}
	return f.Text()
}

// headline says in a sentence what was found.
func headline(f *report.Finding) string {
	if f.Headline != "" {
		return shortWords(f.Headline)
	}
	if f.Kind == report.DataRace && f.Previous != nil {
		return fmt.Sprintf("%s and %s of %s, with nothing that orders them", sideWords(f.Previous),
			sideWords(&f.At), operand(&f.At))
	}
	if f.Kind == report.Deadlock && len(f.Nodes) > 0 {
		return deadlockWords(f)
	}
	lines := strings.Split(f.Text(), "\n")
	line := lines[0]
	if f.Recorded && len(lines) > 2 { // after the ruler, and the kind
		line = lines[2]
	} else if rest, ok := strings.CutPrefix(line, f.Where+": "+f.Check+": "); ok {
		line = rest
	}
	return strings.TrimSuffix(shortWords(line), ":")
}

// deadlockWords says who holds what and wants what.
func deadlockWords(f *report.Finding) string {
	var list []string
	for i := range f.Nodes {
		n := &f.Nodes[i]
		list = append(list, fmt.Sprintf("%s holds the lock%s and wants one%s", goroutine(&n.From),
			placeWords(&n.From), placeWords(&n.To)))
	}
	return strings.Join(list, "; ")
}

// lockName is the name of the lock that an event takes, as in "lock A (hub.mu)"; "" if it has none.
func lockName(e *report.Event) string {
	_, name, ok := strings.Cut(e.Did, " (")
	name, _, closed := strings.Cut(name, ")")
	if !ok || !closed || !strings.HasPrefix(e.Did, "lock ") {
		return ""
	}
	return shortWords(name)
}

// lockNames are the names of the locks of a deadlock, in order.
func lockNames(f *report.Finding) string {
	var names []string
	for i := range f.Nodes {
		names = append(names, lockName(&f.Nodes[i].From))
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if slices.Contains(names, "") {
		return ""
	}
	return strings.Join(names, " and ")
}

// placeWords is where an event is, with a preposition; "" if that isn't known.
func placeWords(e *report.Event) string {
	if o := own(e.Stack); o != nil {
		return fmt.Sprintf(" of %s:%d", path.Base(o.File), o.Line)
	}
	if name := operand(e); name != "" {
		return " " + name
	}
	return ""
}

// sideWords is one side of a race: what a goroutine does, and where.
func sideWords(e *report.Event) string {
	text := did(e) + " by " + goroutine(e)
	if o := own(e.Stack); o != nil {
		text += fmt.Sprintf(" at %s:%d", path.Base(o.File), o.Line)
	}
	return text
}

// did is what an event was in the program's words, or else in the trace's.
func did(e *report.Event) string {
	if e.Did != "" {
		return e.Did
	}
	return e.Op
}

// operand is what an event is done to: by its address, or by its name in the trace.
func operand(e *report.Event) string {
	if e.Address != "" {
		return e.Address
	}
	return e.Target
}

// goroutine is the one of an event.
func goroutine(e *report.Event) string { return goroutineName(e.Goroutine, e.Thread) }

func goroutineName(id uint64, thread string) string {
	switch {
	case id != 0:
		return fmt.Sprintf("goroutine %d", id)
	case thread == "":
		return "a goroutine"
	}
	return "goroutine " + thread
}

// harm says what can go wrong.
func harm(f *report.Finding) string {
	switch {
	case f.Effect == "" && f.Kind == report.AtomicityViolation:
		return "no order of whole transactions has the effect of this order"
	case f.Effect == "" && f.Kind == report.Deadlock:
		return "none of the goroutines goes on, nor who waits for them"
	case f.Effect == "":
		return ""
	case f.Why == "":
		return string(f.Effect)
	}
	return string(f.Effect) + ": " + f.Why
}

// because says what the evidence is.
func because(f *report.Finding) string {
	if f.Because != "" {
		return f.Because
	}
	switch f.Evidence {
	case report.Observed:
		return "this has happened, in this order"
	case report.Predicted:
		text := "it has not happened in this run"
		if f.Why != "" && f.Effect == "" {
			text += "; " + programWords(f, f.Why)
		}
		return text
	case report.Potential:
		return "locks and goroutines allow this order; whether each goroutine would go on as it " +
			"did isn't known"
	case report.Race:
		if f.Sections != nil {
			return term.WhyTwin
		}
		return "nothing in the program forces the order of the two sides"
	case report.Static:
		return "the source shows it, and no run was made"
	}
	return ""
}

// threadName is the name of a thread in a trace that commute has recorded.
var threadName = regexp.MustCompile(`\bT\d+\b`)

// programWords is text with the goroutines in place of the threads of the trace.
func programWords(f *report.Finding, text string) string {
	return threadName.ReplaceAllStringFunc(text, func(name string) string {
		for i := range f.Goroutines {
			if g := &f.Goroutines[i]; g.Thread == name {
				return goroutineName(g.ID, g.Thread)
			}
		}
		return name
	})
}

// mend says how to mend it.
func mend(f *report.Finding) string {
	switch {
	case f.Mend != "":
		return f.Mend
	case f.Sections != nil:
		return f.Sections.Mend
	}
	return ""
}

// helpPage is the page of commute explain.
func helpPage(f *report.Finding) string {
	switch {
	case f.Page != "":
		return f.Page
	case f.Effect != "":
		return strings.ReplaceAll(string(f.Effect), " ", "-")
	case f.Kind == report.AtomicityViolation:
		return "atomicity"
	}
	return ""
}

// facts are what else is known: names and values.
func (m *maker) facts(f *report.Finding) (list [][2]string) {
	add := func(name, value string) {
		if value != "" {
			list = append(list, [2]string{name, value})
		}
	}
	if o := f.Object; o != nil {
		text := o.Type
		if o.Name != "" && !strings.HasSuffix(o.Type, "."+o.Name) {
			text = strings.TrimSpace(o.Type + " " + o.Name)
		}
		if o.DeclaredAt != "" {
			text += ", declared at " + m.src.shortPlace(o.DeclaredAt)
		}
		if o.Address != "" {
			text += ", at " + o.Address
		}
		add("Object", text)
		add("Key", o.Key)
	}
	if s := f.Sections; s != nil && s.Lock != "" {
		add("Lock", strings.TrimSuffix(s.Lock+", at "+s.Address, ", at "))
	}
	if len(f.Transactions) > 0 && f.Transactions[0].Name != "" {
		t := &f.Transactions[0]
		add("Transaction", t.Name+", marked at "+m.src.shortPlace(t.MarkedAt))
	}
	if c := f.Commute; c != nil {
		add("They commute only if", fmt.Sprintf("%s   (%s, %s: %s)", c.Text, c.Methods[0],
			c.Methods[1], c.At))
	}
	add("Package", packageOf(f))
	add("Tests", tests(f))
	if f.Times > 1 {
		add("Reported", fmt.Sprintf("%d times", f.Times))
	}
	if f.Stacks > 1 {
		add("Stacks", fmt.Sprintf("%d pairs of stacks race at these lines", f.Stacks))
	}
	if f.At.Number != 0 {
		add("Trace", fmt.Sprintf("%s, check %s, event %d", f.Where, f.Check, f.At.Number))
	} else {
		add("Check", f.Check)
	}
	return list
}
