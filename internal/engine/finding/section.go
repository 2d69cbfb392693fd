// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A sectionFinding is all that is found of one function's check and act in two critical sections.
// Several pairs of a function belong to one, if they were found broken by the same two sections:
// a section may write several variables that belong together.
type sectionFinding struct {
	next     *sectionFinding // in the order in which they were found
	function *compiled.SectionFunc
	pairs    [4]uint64       // the set of its pairs, as far as there is room
	at       [2]vclock.Epoch // the sections of the check and the act, when it was found last
	evidence section.Evidence
	verdict  verdict

	lines       [3]compiled.Line // of the check, the act and the other
	decl        source.Declaration
	effect      string
	count       uint64
	covered     bool // an atomicity violation was reported of the function
	reportedFor [report.MaxReports][2]*tests.Test
	reports     int
}

// sectionFindings are those that were found, and sectionReports counts those that were reported.
// found.lock guards both.
var (
	sectionFindings *sectionFinding
	sectionReports  uint64
)

// Sections reports a check and act in two critical sections, if it is the first of its finding in a
// test, or worse than before.
func Sections(s *report.Sections) {
	option.Ready()
	posted := false
	found.lock.Lock()
	if !isClosed() {
		posted = reportSections(s)
	}
	found.lock.Unlock()
	if posted {
		Wake()
	}
}

// reportSections is Sections with found.lock held. It reports whether it has posted a message.
func reportSections(s *report.Sections) bool {
	f := sectionFindingOf(s)
	sides := [2]*tests.Test{tests.TestOf(s.Act.Owner), tests.TestOf(s.Other.Owner)}
	v := f.verdict
	if v == reported {
		v = levelOf(s)
	}
	fn := s.Func.P()
	if fn.Marked && (s.Evidence == section.Observed || violates(fn, sides)) {
		return false // it is, or will be, an atomicity violation
	}
	if v != reported || tests.Excused(sides[0], sides[1], tests.ExpectCheckThenAct) {
		return false
	}
	sides[0], sides[1] = sides[0].Charged(), sides[1].Charged()
	if f.count++; f.count == 1 && !f.covered {
		sectionReports++
	}
	tests.Charge(sides[0], sides[1])
	worse := s.Evidence < f.evidence || f.reports == 0
	if worse {
		f.evidence, f.effect = s.Evidence, s.Effect()
		f.lines[2] = s.Other.Touch.P().At
	}
	again := false
	for _, t := range f.reportedFor[:f.reports] {
		again = again || t == sides || t == [2]*tests.Test{sides[1], sides[0]}
	}
	if again && !worse {
		return false
	}
	switch {
	case f.reports < report.MaxReports:
		f.reportedFor[f.reports] = sides
		f.reports++
	case !worse:
		return false
	}
	if !again {
		tests.Tell(sides[0], sides[1])
	}
	postReport(sectionsMessage(s).of(sides[0], sides[1]))
	return true
}

// violates reports whether an atomicity violation of a marked function was reported for one of two
// tests.
func violates(fn *compiled.SectionFunc, sides [2]*tests.Test) bool {
	for v := violations; v != nil; v = v.next {
		if report.CodeOf(v.code).Name != fn.Code.Name {
			continue
		}
		for _, t := range v.reportedFor[:v.reports] {
			if t == sides[0].Charged() || t == sides[1].Charged() {
				return true
			}
		}
	}
	return false
}

// coverSections takes the findings of a marked function out of the summary, of which an atomicity
// violation is reported: that tells more, and is of the same bug.
func coverSections(code *compiled.AtomicCode) {
	for f := sectionFindings; f != nil; f = f.next {
		if f.function.Marked && f.function.Code.Name == code.Name && !f.covered {
			f.covered = true
			if f.count > 0 {
				sectionReports--
			}
		}
	}
}

// sectionFindingOf returns the finding that s belongs to, with its verdict.
func sectionFindingOf(s *report.Sections) *sectionFinding {
	fn, word, bit := s.Func.P(), s.Finding.Pair/64%4, uint64(1)<<(s.Finding.Pair%64)
	at := [2]vclock.Epoch{s.Check.Epoch, s.Act.Epoch}
	var last *sectionFinding
	for f := sectionFindings; f != nil; f = f.next {
		if f.function == fn && (f.pairs[word]&bit != 0 || f.at == at) {
			f.pairs[word] |= bit
			f.at = at
			return f
		}
		last = f
	}
	f := (*sectionFinding)(host.Alloc(unsafe.Sizeof(sectionFinding{})))
	*f = sectionFinding{function: fn, at: at, evidence: s.Evidence}
	f.pairs[word] = bit
	f.lines[0], f.lines[1] = s.Lines()
	f.lines[2] = s.Other.Touch.P().At
	f.decl = source.Touched(s.Act.Touch.P())
	f.verdict = judgeSections(s, f)
	if last == nil {
		sectionFindings = f
	} else {
		last.next = f
	}
	return f
}

// levelOf says whether option level asks for a finding.
func levelOf(s *report.Sections) verdict {
	switch level := option.Current.Level; {
	case level == option.All:
	case s.Minor(), s.Evidence == section.Twin && level == option.Violations:
		return belowLevel
	}
	return reported
}

// judgeSections decides what becomes of a new finding.
func judgeSections(s *report.Sections, f *sectionFinding) verdict {
	ignores := false
	for _, line := range [...]compiled.Line{f.lines[0], f.lines[1], s.Check.Touch.P().At,
		s.Act.Touch.P().At} {
		fr := host.Frame{Func: f.function.Code.Name, File: line.File, Line: line.Number}
		ignores = source.Directed(compiled.Ignore, fr, nil) || ignores
	}
	switch {
	case ignores:
		return ignored
	case s.Pair().Shape != compiled.LostUpdate &&
		source.Directed(compiled.Concurrent, host.Frame{}, &f.decl):
		return concurrent
	case suppressedSections(s, f):
		return suppressed
	}
	return reported
}

// suppressedSections reports whether a line of the suppressions file matches the declaration, or a
// frame of the stacks.
func suppressedSections(s *report.Sections, f *sectionFinding) bool {
	hit := option.About(aboutCheckAct)
	hit = option.Suppressed(f.decl.Name) || hit
	hit = option.Suppressed(f.function.Code.Name, f.lines[0].File) || hit
	for _, e := range [...]*section.Event{&s.Check, &s.Act, &s.Other} {
		if st := stack.StackOf(e.Stack); st != nil {
			hit = suppressedFrames(stack.FrameList{Stack: st}) || hit
		}
	}
	return hit
}

// listSections writes the findings for the summary.
func listSections(b *text.Buffer) {
	b.Text("commute: found ")
	b.Uint(sectionReports)
	b.Texts(text.Plural(sectionReports, " check and act", " checks and acts"),
		" in separate critical sections\n")
	for f := sectionFindings; f != nil; f = f.next {
		if f.count == 0 || f.covered {
			continue
		}
		b.Text("  ")
		stack.Function(b, text.Base(f.function.Code.Name))
		b.Text(", ")
		stack.Range(b, advice.FrameOf(f.lines[0]), advice.FrameOf(f.lines[1]))
		b.Text(", and ")
		stack.Place(b, advice.FrameOf(f.lines[2]))
		b.Texts(" in between: ", f.effect)
		switch f.evidence {
		case section.Observed:
			b.Text(", observed")
		case section.Predicted:
			b.Text(", predicted")
		}
		b.Text(", ")
		b.Uint(f.count)
		b.Text(text.Plural(f.count, " time\n", " times\n"))
	}
}
