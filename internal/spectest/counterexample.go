// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"go/format"
	"strings"
)

// A Refutation is a case in which two calls do not commute although the formula says so.
type Refutation struct {
	Says string // what differs, in one line
	Test string // a file with a Go test that fails
}

// counterexample describes a refutation and writes it as a test.
func (p *plan) counterexample(t testCase, d difference) *Refutation {
	a, b := p.brief(t.ab[0]), p.brief(t.ab[1])
	seen := t.ab[min(d.Outcome, 1)]
	if d.Outcome == 2 {
		o := d.Views[len(d.Views)-1]
		seen = call{o.Method, o.Args}
	}
	says := func(k int) string {
		name := p.brief(seen)
		switch {
		case d.Outcome == 2:
			name = "then " + name
		case a == b:
			name = []string{"the first", "the second"}[k^d.Outcome]
		}
		if strings.HasPrefix(d.Texts[k], "panics: ") || strings.HasPrefix(d.Texts[k], "calls ") {
			return name + " " + d.Texts[k]
		}
		return name + " gives " + d.Texts[k]
	}
	w := &testWriter{p: p, t: t, d: d, seen: seen}
	w.first = fmt.Sprintf("%s, then %s: %s", a, b, says(0))
	w.second = fmt.Sprintf("%s, then %s: %s", b, a, says(1))
	return &Refutation{w.first + "; " + w.second, human(w.file())}
}

// human gives the variables of generated code the names that they have in tests.
func human(text string) string { return strings.ReplaceAll(text, prefix, "") }

// A testWriter writes a counterexample as a Go test.
type testWriter struct {
	p             *plan
	t             testCase
	d             difference
	seen          call // whose outcome differs
	first, second string
	b             strings.Builder
}

func (w *testWriter) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// file writes the test: the state, the two calls in either order on two objects, and the
// comparison.
func (w *testWriter) file() string {
	p := w.p
	pair := p.spec.Pairs[w.t.pair]
	w.line("// The specification says that the calls commute here:")
	w.line("// %s: %s", p.short(pair.Pos), pair.Text)
	w.line("func TestCommute%s%s%s(t *testing.T) {",
		strings.ToUpper(p.spec.Name[:1])+p.spec.Name[1:], pair.M[0].Name, pair.M[1].Name)
	w.helpers()
	x, y := p.unused("x"), p.unused("y")
	w.build(x)
	w.line("\n// %s", w.first)
	w.line("%s := build()", x)
	w.order(x, "got1", w.t.ab[0], w.t.ab[1])
	w.line("\n// %s", w.second)
	w.line("%s := build()", y)
	w.order(y, "got2", w.t.ab[1], w.t.ab[0])
	w.line("\nif !reflect.DeepEqual(got1, got2) {")
	w.line("t.Errorf(\"%s gives %%v or %%v: the order of the calls makes a difference\", got1, "+
		"got2)", escape(p.brief(w.seen)))
	w.line("}\n}")
	name := p.pkg.Name
	if p.external {
		name += "_test"
	}
	more := []string{"reflect", "testing"}
	if w.d.Ends {
		more = append(more, "fmt")
	}
	text := "package " + name + "\n\n" + p.importDecl(w.b.String(), more...) + "\n" + w.b.String()
	src, err := format.Source([]byte(text))
	if err != nil {
		return text // it is for people
	}
	return string(src)
}

// escape makes a text a part of a format in quotes.
func escape(s string) string {
	s = fmt.Sprintf("%q", s)
	return strings.ReplaceAll(s[1:len(s)-1], "%", "%%")
}

// unused is a name for a variable that hides nothing of the package.
func (p *plan) unused(name string) string {
	for p.pkg.Types.Scope().Lookup(name) != nil || p.names[name] != "" {
		name += "0"
	}
	return name
}

// helpers declares what the calls use.
func (w *testWriter) helpers() {
	text := strings.Join(w.p.lines("x", w.t), "\n") + w.p.text("", w.seen)
	for _, o := range w.d.Views {
		text += w.p.text("", call{o.Method, o.Args})
	}
	for _, v := range w.p.pointees {
		if strings.Contains(text, v.name) {
			w.line("%s := %s", v.name, v.init)
		}
	}
	if strings.Contains(text, prefix+"visited") {
		w.line("var %svisited []any // what callbacks are given", prefix)
	}
	w.line("values := func(v ...any) []any { return v }")
	if w.d.Ends {
		w.line(`outcome := func(f func() []any) (v []any) {
	done := make(chan bool)
	go func() {
		defer close(done)
		returned := false
		defer func() {
			if r := recover(); !returned {
				v = []any{"does not return", fmt.Sprint(r)}
			}
		}()
		v = f()
		returned = true
	}()
	<-done
	return v
}`)
	}
}

// build writes the function that makes an object and brings it into its state.
func (w *testWriter) build(x string) {
	o := w.p.object
	w.line("build := func() %s {", w.p.typeString(o.typ))
	if o.fails {
		w.line("%s, err := %s\nif err != nil {\nt.Fatal(err)\n}", x, o.expr)
	} else {
		w.line("%s := %s", x, o.expr)
	}
	for _, st := range w.t.steps {
		w.call(x, "", st)
	}
	if o.take {
		x = "&" + x
	}
	w.line("return %s\n}", x)
}

// order writes the two calls in one order, what is looked at then, and the outcome that matters.
func (w *testWriter) order(x, got string, calls ...call) {
	for _, o := range w.d.Views {
		calls = append(calls, call{o.Method, o.Args})
	}
	for i, c := range calls {
		name := ""
		if w.d.Outcome == 2 && i == len(calls)-1 || w.d.Outcome < 2 && i == w.place(got) {
			name = got
		}
		w.call(x, name, c)
	}
}

// place is the index of the call whose outcome matters, among the two calls in one order.
func (w *testWriter) place(got string) int {
	if got == "got1" {
		return w.d.Outcome
	}
	return 1 - w.d.Outcome
}

// call writes a call, and keeps its outcome in got if that is not empty.
func (w *testWriter) call(x, got string, c call) {
	m := w.p.methods[c.method]
	text := w.p.text(x, c)
	visits := got != "" && strings.Contains(text, prefix+"visited")
	if visits {
		w.line("%svisited = nil", prefix)
	}
	void := m.sig.Results().Len() == 0
	body := "return values(" + text + ")"
	if void {
		body = text + "; return nil"
	}
	switch {
	case w.d.Ends && got != "":
		w.line("%s := outcome(func() []any { %s })", got, body)
	case w.d.Ends:
		w.line("outcome(func() []any { %s })", body)
	case got == "":
		w.line("%s", text)
	case void:
		w.line("%s\n%s := values()", text, got)
	default:
		w.line("%s := values(%s)", got, text)
	}
	if visits {
		w.line("%s = append(%s, %svisited...)", got, got, prefix)
	}
}
