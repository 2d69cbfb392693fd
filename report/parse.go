// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// Parse finds the reports in the output of a watched program, in their order. A finding has all
// data of the report's text: the sides with their stacks, the object, and all of [Said]. Parse
// skips other output, and a report without its end. It takes time linear in the text.
func Parse(text []byte) (list []*Finding) {
	start, first, at := -1, 0, 0 // a ruler that may begin a report, and the line after it
	for line := range bytes.Lines(text) {
		begin := at
		at += len(line)
		if strings.TrimRight(string(line), "\r\n")+"\n" != ruler {
			continue
		}
		if start < 0 || !bytes.HasPrefix(text[first:], []byte(warning)) {
			start, first = begin, at
			continue
		}
		if f := parse(string(text[start:at])); f != nil {
			list = append(list, f)
		}
		start = -1
	}
	return list
}

const warning = "WARNING: "

// kinds are the kinds of findings by their names in reports, and the checks of a watched program
// that find them.
var kinds = map[string]struct {
	kind  Kind
	check string
}{
	"COMMUTATIVITY RACE":  {CommutativityRace, "commute"},
	"CHECK-THEN-ACT RACE": {CheckThenActRace, "commute"},
	"ATOMICITY VIOLATION": {AtomicityViolation, "atomicity"},
	"DATA RACE":           {DataRace, "datarace"},
	"POTENTIAL DEADLOCK":  {Deadlock, "deadlock"},
	"LEAKED GOROUTINE":    {LeakedGoroutine, "leak"},
}

// A parser reads one report.
type parser struct {
	f     *Finding
	lines []string // that are not read yet

	label *string // the value that a line continues, if it is indented by 10

	inThisRun string            // what the line with that label says
	full      map[string]string // by "base:line", the path and line
}

// parse reads a report with its rulers. It is nil if the kind is not known.
func parse(text string) *Finding {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	k, known := kinds[strings.TrimPrefix(lines[1], warning)]
	if !known {
		return nil
	}
	p := &parser{f: &Finding{Kind: k.kind, Check: k.check}, lines: lines[2:],
		full: make(map[string]string)}
	p.f.Report = text
	if k.kind != DataRace {
		p.headline()
		if p.isSections() {
			p.f.Check = inSections
		}
		p.steps()
		p.source()
	}
	for len(p.lines) > 0 {
		p.line()
	}
	p.finish()
	return p.f
}

// next takes a line.
func (p *parser) next() string {
	line := p.lines[0]
	p.lines = p.lines[1:]
	return line
}

// headline reads what stands before the first empty line.
func (p *parser) headline() {
	for len(p.lines) > 0 {
		line := p.next()
		if line == "" {
			return
		}
		p.f.Headline = strings.TrimSpace(p.f.Headline + " " + line)
	}
}

// labels are the lines that have a name, and where their values go.
func (p *parser) labels() map[string]*string {
	f := p.f
	return map[string]*string{"What can go wrong": &f.Why, "Evidence": &f.Because,
		"In this run": &p.inThisRun, "How to mend it": &f.Mend, "How to keep it silent": &f.Silence}
}

// line reads a line, and the stack that it is the head of.
func (p *parser) line() {
	line := p.next()
	if rest, ok := strings.CutPrefix(line, "          "); ok && p.label != nil {
		*p.label += " " + rest
		return
	}
	p.label = nil
	name, value, ok := strings.Cut(line, ": ")
	if to := p.labels()[name]; ok && to != nil {
		*to, p.label = value, to
		return
	}
	switch {
	case !ok && strings.HasSuffix(line, ":"), strings.HasPrefix(line, "  came before"),
		strings.HasPrefix(line, "Conflict "), strings.HasPrefix(line, "Goroutine "):
		p.event(line)
	case name == "More of it":
		p.f.Page = strings.TrimPrefix(value, "commute explain ")
	case name == "Test":
		p.f.Tests = strings.Split(value, ", ")
	case name == "Object":
		p.object(value)
	case name == "Key" && p.f.Object != nil:
		p.f.Object.Keyed, p.f.Object.Key = true, value
	case name == "Location":
		p.location(value)
	case strings.HasSuffix(name, "commute only if"):
		p.formula(value)
	case strings.HasSuffix(line, ":"):
		p.event(line)
	}
}

// object reads what two calls, or a check and act, are on: its type and name, where that is
// declared, and its address.
func (p *parser) object(value string) {
	o := &Object{}
	p.f.Object = o
	what, rest, declared := strings.Cut(value, ", declared at ")
	if declared {
		o.DeclaredAt, rest, _ = strings.Cut(rest, ", at ")
	} else {
		what, rest, _ = strings.Cut(value, " at 0x")
		rest = "0x" + rest
	}
	o.Address, _, _ = strings.Cut(rest, ",")
	o.Address, _, _ = strings.Cut(o.Address, " ")
	switch typ, name, two := strings.Cut(what, " "); {
	case two:
		o.Type, o.Name = typ, name
	case declared && p.f.Commute == nil && p.isSections():
		o.Name = what
	default:
		o.Type = what
		if declared {
			o.Name = what[strings.LastIndexByte(what, '.')+1:] // a variable with a specification
		}
	}
}

// isSections reports whether a check and act are of two critical sections: no calls are named.
func (p *parser) isSections() bool {
	return p.f.Kind == CheckThenActRace && !strings.Contains(p.f.Headline, " checks with ")
}

// location reads which variable a data race is on.
func (p *parser) location(value string) {
	name, rest, ok := strings.Cut(strings.TrimPrefix(value, "variable "), ", declared at ")
	if ok && p.f.Object == nil {
		p.f.Object = &Object{Name: name, DeclaredAt: rest, Address: p.f.At.Address}
	}
}

// formula reads when calls commute: "k1 != k2   (Load, Store: specs/sync/map.ecl:27:64)". Of two,
// the first one counts.
func (p *parser) formula(value string) {
	i := strings.LastIndex(value, "   (")
	if i < 0 || p.f.Commute != nil {
		return
	}
	text, rest := value[:i], strings.TrimSuffix(value[i+len("   ("):], ")")
	methods, at, _ := strings.Cut(rest, ": ")
	first, second, _ := strings.Cut(methods, ", ")
	p.f.Commute = &Formula{Methods: [2]string{first, second}, Text: text, At: at}
}

// finish sets what follows from several lines.
func (p *parser) finish() {
	f := p.f
	if effect, why, ok := strings.Cut(f.Why, ": "); ok {
		f.Effect, f.Why = Effect(effect), why
	}
	if evidence, why, ok := strings.Cut(f.Because, ": "); ok {
		f.Evidence, f.Because = Evidence(evidence), why
	}
	f.Times = 1
	switch f.Kind {
	case DataRace:
		f.Evidence = Race
		p.describeAccesses()
	case Deadlock:
		f.Effect = ""
		p.describeLocks()
	case LeakedGoroutine:
		f.Effect = ""
		f.Steps = []Step{{Goroutine: "goroutine " + f.At.Thread, At: f.At.At, Does: f.At.Did}}
	case AtomicityViolation:
		f.Effect = ""
		p.transaction()
	}
	p.numberSteps()
	for i := range f.Steps {
		f.Steps[i].At = p.path(f.Steps[i].At)
	}
	for i := range f.Source {
		f.Source[i].At = p.path(f.Source[i].At)
	}
	f.Where = f.At.At
}

// path is a place, "base:line", with the whole path of the file, as far as a stack has that.
func (p *parser) path(place string) string {
	if full := p.full[place]; full != "" {
		return full
	}
	return place
}

// transaction reads the head of an atomicity violation: who is not atomic, and where it is marked.
func (p *parser) transaction() {
	f := p.f
	t := Transaction{}
	name, rest, _ := strings.Cut(f.Headline, ", marked as atomic at ")
	t.Name = name
	t.MarkedAt, rest, _ = strings.Cut(rest, ", is not: goroutine ")
	t.Thread, _, _ = strings.Cut(rest, " ")
	t.Goroutine, _ = strconv.ParseUint(t.Thread, 10, 64)
	for _, e := range f.Edges {
		other := Transaction{Goroutine: e.From.Goroutine, Thread: e.From.Thread}
		if other.Thread == t.Thread {
			other = t
		}
		f.Transactions = append(f.Transactions, other)
	}
	if len(f.Edges) > 0 {
		f.At = f.Edges[len(f.Edges)-1].To
	}
	if i := slices.IndexFunc(f.Transactions, func(o Transaction) bool {
		return o.Name != ""
	}); i < 0 {
		f.Transactions = append([]Transaction{t}, f.Transactions...)
	}
}
