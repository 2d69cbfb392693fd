// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// reportsOf are the reports of a check of a file, at a level.
func reportsOf(t *testing.T, name, check string, level Level) []*report.Finding {
	t.Helper()
	f, err := tracefile.Open(name, "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, ok := Find(check)
	if !ok {
		t.Fatalf("there is no check %s", check)
	}
	var count atomic.Uint64
	r, err := Run(f, Options{Checks: []Check{c}, All: true, Level: level}, &count)
	if err != nil {
		t.Fatal(err)
	}
	f.Name = "bank.trace"
	list := r.Checks[0].Reports(f)
	var each []string
	r.Checks[0].EachReport(f, func(r *report.Finding) { each = append(each, r.Text()) })
	if !slices.EqualFunc(list, each, func(r *report.Finding, text string) bool {
		return r.Text() == text
	}) {
		t.Errorf("one by one, there are %d reports, want %d", len(each), len(list))
	}
	return list
}

// TestGolden compares reports in words and in JSON with files. The recording has four tests of a
// bank. Each test has one finding, as in the run that was recorded; arbitration is for the level
// that asks for it. The predictions are of a trace of their own.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		check string
		level Level
		count int
		trace string
	}{
		{"frontier", Races, 1, "recorded"}, {"velodrome", Races, 1, "recorded"},
		{"transactions", Races, 1, "recorded"}, {"predictions", Races, 2, "predicted"},
		{"hb", Races, 1, "recorded"}, {"fasttrack", Races, 1, "recorded"},
		{"commute", All, 2, "recorded"},
	} {
		t.Run(c.check, func(t *testing.T) {
			var text, lines strings.Builder
			reports := reportsOf(t, "testdata/"+c.trace+".txt", c.check, c.level)
			for _, r := range reports {
				text.WriteString(r.Text())
				b, err := json.MarshalIndent(r, "", "\t")
				if err != nil {
					t.Fatal(err)
				}
				lines.Write(append(b, '\n'))
			}
			if len(reports) != c.count {
				t.Errorf("%d reports, want %d", len(reports), c.count)
			}
			golden(t, c.check+".txt", text.String())
			golden(t, c.check+".json", lines.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s "+
			"(run go test ./internal/offline -run Golden -update if it should):\n%s", name, got)
	}
}

// TestLevels has each level report what a watched program does.
func TestLevels(t *testing.T) {
	both := []report.Effect{report.LostUpdate, report.Arbitration}
	for level, want := range map[Level][]report.Effect{
		Violations: nil, Races: {report.LostUpdate}, All: both, 0: both,
	} {
		var got []report.Effect
		for _, r := range reportsOf(t, "testdata/recorded.txt", "commute", level) {
			got = append(got, r.Effect)
		}
		if !slices.Equal(got, want) {
			t.Errorf("level %d: %v, want %v", level, got, want)
		}
	}
}

// TestDirectives changes what is recorded of the calls of TestSet. What commute doesn't report of
// a watched program, it doesn't report of the trace either.
func TestDirectives(t *testing.T) {
	whole, err := os.ReadFile("testdata/recorded.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string
		want     int
	}{
		{`flags=0 kind="field"`, `flags=0 kind="field"`, 1},
		{`flags=0 kind="field"`, `flags=1 kind="field"`, 0}, // ignored
		{`flags=0 kind="field"`, `flags=2 kind="field"`, 0}, // meant
		{`flags=0 kind="field"`, `flags=4 kind="field"`, 0}, // the library's, as is the type
		{`Role method=2 role="mutator"`, `Role method=2 role="arbiter"`, 0},
		// An old trace doesn't tell the role of a method, so the effect of neither race is known.
		{`Role method=2 role="mutator"`, `# as in an old trace`, 2},
	} {
		text := strings.ReplaceAll(string(whole), c.old, c.new)
		if !strings.Contains(string(whole), c.old) {
			t.Fatalf("no %s in the trace", c.old)
		}
		if c.want == 2 {
			text = strings.ReplaceAll(text, `Role method=6 role="arbiter"`, "#")
		}
		name := filepath.Join(t.TempDir(), "x.txt")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := len(reportsOf(t, name, "commute", Races)); got != c.want {
			t.Errorf("with %s: %d reports, want %d", c.new, got, c.want)
		}
	}
}

// TestEffects has the roles that a trace names be those of package term.
func TestEffects(t *testing.T) {
	for _, c := range []struct {
		first, second string
		keyed, only   bool
		want          string
	}{
		{"mutator", "mutator", true, false, term.LostUpdate},
		{"mutator", "arbiter", true, false, term.StaleCheck},
		{"observer", "mutator", true, false, term.StaleRead},
		{"mutator", "observer", false, false, term.OrderDependent},
		{"observer", "arbiter", true, false, term.Arbitration},
		{"arbiter", "arbiter", true, true, term.OrderDependent},
	} {
		p := callPair{first: call(c.first), second: call(c.second)}
		p.formula.Results = c.only
		if got := p.effect(c.keyed); got != c.want {
			t.Errorf("%s and %s: %s, want %s", c.first, c.second, got, c.want)
		}
		if p.explain(c.want) == "" {
			t.Errorf("%s is not explained", c.want)
		}
	}
	if spec.Ignored|spec.Meant|spec.ByLibrary != 7 {
		t.Error("flags overlap")
	}
}

func call(role string) trace.Call {
	return trace.Call{Method: trace.MethodOf{Name: "M", Role: role}}
}

// TestGroups wants one report for two lines of the source, though many stacks lead there. It
// wants the report to have the number of those.
func TestGroups(t *testing.T) {
	var b strings.Builder
	b.WriteString("commute trace 1\nDefinitions codec=plain\n")
	b.WriteString(`Meta key="addresses" value="true"` + "\n")
	b.WriteString(`Goroutine id=1 goid=1 parent=0 pos=0 name=""` + "\n")
	b.WriteString(`Goroutine id=2 goid=7 parent=1 pos=0 name=""` + "\n")
	for i := range 3 {
		outer, inner := string(rune('1'+2*i)), string(rune('2'+2*i))
		b.WriteString("Position id=" + outer + " pc=0 caller=0 line=" + outer +
			" func=\"m.f\" file=\"/m.go\"\n")
		b.WriteString("Position id=" + inner + " pc=0 caller=" + outer +
			" line=9 func=\"m.set\" file=\"/m.go\"\n")
	}
	b.WriteString("Events codec=plain first=0 low=7 ordered=false\n")
	b.WriteString("Go goroutine=1\nFork goroutine=2 pos=0\n")
	for _, g := range []string{"1", "2"} {
		b.WriteString("Go goroutine=" + g + "\n")
		for i, v := range []string{"64", "72", "80"} {
			b.WriteString("Write var=" + v + " pos=" + string(rune('2'+2*i)) + "\n")
		}
	}
	name := filepath.Join(t.TempDir(), "x.txt")
	if err := os.WriteFile(name, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	list := reportsOf(t, name, "hb", Races)
	if len(list) != 1 || list[0].Stacks != 3 || len(list[0].At.Stack) != 2 ||
		list[0].At.Address != "0x40" {
		t.Fatalf("%d reports: %+v", len(list), list)
	}
	if text := list[0].Text(); !strings.Contains(text,
		"\nAt these lines 3 pairs of stacks have such a race\n") {
		t.Error(text)
	}
}

// TestConverted wants a converted trace to have the reports of the recording, except that its
// variables and locks have no addresses.
func TestConverted(t *testing.T) {
	f, err := tracefile.Open("testdata/recorded.txt", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "x.trace"), filepath.Join(dir, "x.txt")}
	var outs []*tracefile.Output
	for _, name := range names {
		w, err := tracefile.Create(name, "", spec.S2, f.Tables())
		if err != nil {
			t.Fatal(err)
		}
		outs = append(outs, w)
	}
	buf := make([]event.Event, 64)
	for {
		n, err := f.Read(buf)
		if err == io.EOF {
			break
		}
		for _, w := range outs {
			err = errors.Join(err, w.Write(buf[:n]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range outs {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	address := regexp.MustCompile(`(at 0x[0-9a-f]+|of [VL]\d+)`)
	for _, check := range []string{"velodrome", "hb", "commute"} {
		text := func(name string) (s string) {
			for _, r := range reportsOf(t, name, check, All) {
				s += r.Text()
			}
			return address.ReplaceAllString(s, "at A")
		}
		want := text("testdata/recorded.txt")
		for _, name := range names {
			if got := text(name); got != want || want == "" {
				t.Errorf("%s: %s:\n%s\nwant\n%s", check, name, got, want)
			}
		}
	}
}
