// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// A Sections is a check and an act in two critical sections that another goroutine comes between,
// or can.
type Sections struct {
	section.Finding
	Key    text.Kept    // the key, if it is known
	Values [3]text.Kept // what check, act and the other read or wrote
	Was    text.Kept    // what the act replaced
}

// Pair is the pair of the finding.
func (s *Sections) Pair() *compiled.SectionPair { return &s.Func.P().Pairs[s.Finding.Pair] }

// Effect is what can go wrong.
func (s *Sections) Effect() string { return term.SectionEffect(s.Pair().Shape) }

// EvidenceWord is the word for what is known of it.
func (s *Sections) EvidenceWord() string {
	switch s.Evidence {
	case section.Observed:
		return term.Observed
	case section.Twin:
		return term.Race
	}
	return term.Predicted
}

// Lines are where the function checks, and acts, itself or by a call.
func (s *Sections) Lines() (check, act compiled.Line) {
	return advice.SectionLines(s.Pair(), &advice.Stack{Of: stack.StackOf(s.Check.Stack)},
		&advice.Stack{Of: stack.StackOf(s.Act.Stack)})
}

// printLine writes a file and line.
func printLine(b *text.Buffer, l compiled.Line) {
	b.Texts(text.Base(l.File), ":")
	b.Int(int64(l.Number))
}

// Print writes the report.
func (s *Sections) Print(b *text.Buffer) {
	b.Texts(Ruler, "WARNING: CHECK-THEN-ACT RACE\n")
	s.printHeadline(b)
	s.printOrder(b)
	b.Texts("What can go wrong: ", s.Effect(), ": ",
		term.WhySection(s.Pair().Shape, s.isCheck() || s.sameCode()), "\n")
	b.Texts("Evidence: ", s.EvidenceWord(), ": ")
	s.explain(b)
	b.Text("\n")
	if s.Last {
		printHappened(b, s.Other.Goid, s.Act.Goid)
	}
	s.printMend(b)
	s.printSilence(b)
	printPage(b, s.Effect())
	s.printObject(b)
	if s.Key.Known() {
		b.Text("Key: ")
		s.Key.Print(b)
		b.Text("\n")
	}
	b.Text("\n")
	s.printSide(b, text.Pick(s.setsFirst(), "First: ", "Check: "), &s.Check, 0)
	s.printSide(b, "Act: ", &s.Act, 1)
	s.printSide(b, text.Pick(s.isCheck(), "The other's check: ", "In between: "), &s.Other, 2)
	printSectionOrigin(b, &s.Act)
	if s.Other.Goid != s.Act.Goid {
		printSectionOrigin(b, &s.Other)
	}
	b.Text(Ruler)
}

// isCheck reports whether what the other goroutine does is the same check.
func (s *Sections) isCheck() bool { return s.Evidence == section.Twin }

// setsFirst reports whether the function looks at nothing, but sets two variables one by one.
func (s *Sections) setsFirst() bool {
	return term.SectionNoun(s.Check.Touch.P().Op) != "read"
}

// sameCode reports whether the other goroutine writes at the place of the act.
func (s *Sections) sameCode() bool { return s.Other.Touch == s.Act.Touch }

// printHeadline says what is not atomic.
func (s *Sections) printHeadline(b *text.Buffer) {
	stack.Function(b, s.Func.P().Code.Name)
	check, act := s.Check.Touch.P(), s.Act.Touch.P()
	b.Text(text.Pick(s.setsFirst(), " sets ", " looks at "))
	s.printOperand(b, check)
	b.Texts(" and then ", term.SectionVerb(act.Op), " ")
	if act.Point == check.Point && term.Keyed(act.Op) == term.Keyed(check.Op) {
		b.Text("it")
	} else {
		s.printOperand(b, act)
	}
	if lock := s.lockName(); lock != "" {
		b.Texts(", with ", lock, " free in between")
	}
	b.Text(": goroutine ")
	switch {
	case s.isCheck():
		b.Uint(s.Other.Goid)
		b.Text(" can look before goroutine ")
		b.Uint(s.Act.Goid)
		b.Texts(" ", term.SectionVerb(act.Op))
	default:
		b.Uint(s.Act.Goid)
		b.Text(text.Pick(s.Evidence == section.Observed, " was interfered with by goroutine ",
			" can be interfered with by goroutine "))
		b.Uint(s.Other.Goid)
	}
	b.Text("\n\n")
}

// lockName is the lock by its type; empty if it is not known.
func (s *Sections) lockName() string {
	if s.Site.Nil() {
		return ""
	}
	return s.Site.P().Lock
}

// printOrder writes the interleaving, one goroutine a column, and then the lines of the source.
func (s *Sections) printOrder(b *text.Buffer) {
	printGoroutines(b, s.Act.Goid, s.Other.Goid)
	s.printStep(b, 0)
	b.Text("  ")
	pad(b, b.N)
	s.printStep(b, 2)
	b.Text("  ")
	s.printStep(b, 1)
	b.Text("\n")
	var x advice.Excerpt
	check, act := s.Lines()
	for _, l := range [...]compiled.Line{s.Check.Touch.P().At, check, s.Act.Touch.P().At, act,
		s.Other.Touch.P().At} {
		x.Add(l.File, int(l.Number))
	}
	x.Print(b)
}

// event is the check, the act, or the other's event, as Values has them.
func (s *Sections) event(i int) *section.Event {
	return [...]*section.Event{&s.Check, &s.Act, &s.Other}[i]
}

// printStep writes the place of the i-th event, and what it does.
func (s *Sections) printStep(b *text.Buffer, i int) {
	t := s.event(i).Touch.P()
	printLine(b, t.At)
	b.Texts("  ", term.SectionNoun(t.Op), " ")
	s.printOperand(b, t)
	if i != 2 || !s.isCheck() { // what the other's check has read, it does not in this order
		s.printValue(b, i)
	}
	b.Text("\n")
}

// printValue writes what the i-th event has read or written, and what it replaced, as far as that
// is known.
func (s *Sections) printValue(b *text.Buffer, i int) {
	e := s.event(i)
	t := e.Touch.P()
	switch {
	case t.Op == compiled.Delete:
	case t.Op == compiled.Lookup && e.Value == 0:
		b.Text(" is absent")
	case t.Atomic != compiled.NotAtomic:
		printWord(b, " = ", t.Atomic, e.Value, "")
	case s.Values[i].Known() && t.Op != compiled.ReadAll:
		b.Text(" = ")
		s.Values[i].Print(b)
	}
	if i == 1 && t.Atomic != compiled.NotAtomic {
		printWord(b, " (was ", t.Atomic, e.Was, ")")
	} else if i == 1 && s.Was.Known() {
		b.Text(" (was ")
		s.Was.Print(b)
		b.Text(")")
	}
}

// printOperand writes what is touched.
func (s *Sections) printOperand(b *text.Buffer, t *compiled.SectionTouch) {
	if t.Op == compiled.Len {
		b.Texts("len(", t.Name, ")")
		return
	}
	b.Text(t.Name)
	if term.Keyed(t.Op) {
		b.Text("[")
		if s.Key.Known() {
			s.Key.Print(b)
		} else {
			b.Text("key")
		}
		b.Text("]")
	}
}

// printSide writes an event with its stack.
func (s *Sections) printSide(b *text.Buffer, word string, e *section.Event, i int) {
	t := e.Touch.P()
	b.Text(word)
	s.printOperand(b, t)
	if t.Op == compiled.Delete {
		b.Text(" is deleted")
	}
	s.printValue(b, i)
	b.Text(" by goroutine ")
	b.Uint(e.Goid)
	if lock := s.lockName(); lock != "" {
		b.Texts(", under ", lock)
	}
	b.Text(":\n")
	if st := stack.StackOf(e.Stack); st != nil {
		PrintStack(b, st, "", st.Elided)
	} else {
		stack.PrintFrame(b, host.Frame{Func: s.Func.P().Code.Name, File: t.At.File,
			Line: t.At.Number})
	}
	b.Text("\n")
}

// printWord writes the value of an atomic operation between two texts, if it is known and not a
// pointer.
func printWord(b *text.Buffer, before string, k compiled.AtomicKind, v uint64, after string) {
	if v == section.Unknown || k == compiled.AtomicPointer {
		return
	}
	b.Text(before)
	v = section.AtomicValue(v)
	switch k {
	case compiled.AtomicBool:
		b.Text(text.Pick(v != 0, "true", "false"))
	case compiled.AtomicSigned:
		b.Int(int64(v))
	default:
		b.Uint(v)
	}
	b.Text(after)
}

// printSectionOrigin writes where the goroutine of an event was started.
func printSectionOrigin(b *text.Buffer, e *section.Event) {
	if e.Goid == 0 {
		return
	}
	b.Text("Goroutine ")
	b.Uint(e.Goid)
	printStart(b, e.Creator, stack.StackOf(e.Origin))
}

// printStart writes where a goroutine was started, behind its number.
func printStart(b *text.Buffer, creator uint64, s *stack.Stack) {
	if creator == datarace.ByTimer {
		b.Text(" was created by a timer (time.AfterFunc)\n\n")
		return
	}
	if s == nil {
		b.Text(" is the main goroutine\n\n")
		return
	}
	if creator != 0 {
		b.Text(" created by goroutine ")
		b.Uint(creator)
		b.Text(" at:\n")
	} else {
		b.Text(" created at:\n")
	}
	PrintStack(b, s, "", s.Elided)
	b.Text("\n")
}

// printObject writes the variable or map, and its lock.
func (s *Sections) printObject(b *text.Buffer) {
	act := s.Act.Touch.P()
	b.Texts("Object: ", act.Name)
	if act.Decl != "" {
		b.Texts(", declared at ", stack.Stripped(act.Decl), ",")
	}
	b.Text(" at ")
	b.Hex(uint64(s.Object))
	if k := b.At(s.Object); k.Heap {
		b.Text(", in a heap block of ")
		b.Uint(uint64(k.Size))
		b.Text(" bytes at ")
		b.Hex(uint64(k.Start))
	}
	if lock := s.lockName(); lock != "" {
		b.Texts(", under ", lock, " at ")
		b.Hex(uint64(s.Lock))
	}
	b.Text("\n")
}

// printMend writes how to mend it.
func (s *Sections) printMend(b *text.Buffer) {
	before, after := term.MendSection(s.Pair().Shape, s.Act.Touch.P().Atomic)
	printHint(b, "")
	check, act := s.Lines()
	advice.MendSections(b, before, check, act, after)
	b.Text("\n")
}

// printSilence writes how to keep it silent, if it is not to be mended.
func (s *Sections) printSilence(b *text.Buffer) {
	b.Text(silent)
	check, act := s.Lines()
	advice.SilenceSections(b, check, act, s.Func.P().Code.Name)
	b.Text("\n")
}

// explain says why the events can come in that order.
func (s *Sections) explain(b *text.Buffer) {
	if s.isCheck() {
		b.Text(term.WhyTwin)
		return
	}
	parts := term.WhyPossible(s.EvidenceWord(), "the act", "what is in between")
	b.Texts(parts[:]...)
}
