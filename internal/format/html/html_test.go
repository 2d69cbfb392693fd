// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package html

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// sample is a run with findings of every shape.
func sample(t testing.TB) *report.Run {
	t.Helper()
	data, err := os.ReadFile("testdata/run.json")
	if err != nil {
		t.Fatal(err)
	}
	run := new(report.Run)
	if err := json.Unmarshal(data, run); err != nil {
		t.Fatal(err)
	}
	return run
}

// written is the page of a run.
func written(t testing.TB, run *report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, run, location.At(".")); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var dataElement = regexp.MustCompile(
	`(?s)<script type="application/json" id="data">(.*?)</script>`)

// dataOf is what the page's code reads.
func dataOf(t testing.TB, text string) *page {
	t.Helper()
	m := dataElement.FindAllStringSubmatch(text, -1)
	if len(m) != 1 {
		t.Fatalf("%d elements with data", len(m))
	}
	p := new(page)
	d := json.NewDecoder(strings.NewReader(m[0][1]))
	d.DisallowUnknownFields()
	if err := d.Decode(p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestGolden has what is shown of each finding.
func TestGolden(t *testing.T) {
	got := drawPage(dataOf(t, written(t, sample(t))))
	name := filepath.Join("testdata", "run.golden")
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is another (-update rewrites it); now:\n%s", name, got)
	}
}

// drawPage is what a page has, as text.
func drawPage(p *page) string {
	var b strings.Builder
	for i := range p.Findings {
		f := &p.Findings[i]
		fmt.Fprintf(&b, "== %s, %s: %s\n", f.Evidence, f.Kind, f.Headline)
		fmt.Fprintf(&b, "of %s (%s) at %s in %s\n", f.Decl, f.DeclAt, f.Place, f.Package)
		for _, line := range [][2]string{{"harm", f.Harm}, {"because", f.Because}, {"mend", f.Mend},
			{"silence", f.Silence}, {"page", f.Page}} {
			if line[1] != "" {
				fmt.Fprintf(&b, "%s: %s\n", line[0], line[1])
			}
		}
		for _, x := range f.Facts {
			fmt.Fprintf(&b, "%s: %s\n", x[0], x[1])
		}
		for n, l := range f.Lanes {
			fmt.Fprintf(&b, "lane %d: %s, %s\n", n, l.Name, l.Note)
		}
		for _, c := range f.Charts {
			drawChart(&b, f, &c)
		}
		drawRest(&b, p, f)
		b.WriteString("\n")
	}
	return b.String()
}

func drawChart(b *strings.Builder, f *finding, c *chart) {
	fmt.Fprintf(b, "%s (%s)\n", c.Title, c.Note)
	for _, n := range c.Order {
		e := f.Events[n]
		fmt.Fprintf(b, "  %2d %s%s", n, strings.Repeat("                ", e.Lane), e.Text)
		for _, x := range []string{e.Place, e.Func, e.What, e.More} {
			if x != "" {
				fmt.Fprintf(b, " | %s", x)
			}
		}
		fmt.Fprintf(b, "%s%s\n", pick(e.Minor, " minor", ""), pick(e.Broken, " broken", ""))
	}
	if len(c.Moved) > 0 {
		fmt.Fprintf(b, "  moved %v\n", c.Moved)
	}
	if len(c.Links) > 0 {
		fmt.Fprintf(b, "  links %v\n", c.Links)
	}
}

func drawRest(b *strings.Builder, p *page, f *finding) {
	for _, x := range f.Pairs {
		fmt.Fprintf(b, "%s %d %d\n", x.Kind, x.From, x.To)
	}
	for _, x := range f.Bands {
		fmt.Fprintf(b, "band %q of lane %d: %v\n", x.Name, x.Lane, x.Events)
	}
	for _, x := range f.Explored {
		fmt.Fprintf(b, "explored %s (%s)\n", x.Title, x.Replay)
		for _, e := range x.Events {
			fmt.Fprintf(b, "  %s: %s | %s%s\n", x.Lanes[e.Lane].Name, e.Text, e.Place,
				pick(e.Forced, " forced", ""))
		}
	}
	for _, x := range f.Source {
		e := p.Excerpts[x.Excerpt]
		fmt.Fprintf(b, "source %s from %d, %d lines, %v\n", e.File, e.First, len(e.Text), x.Lines)
	}
	for _, x := range f.Fixes {
		fmt.Fprintf(b, "fix %s\n  %s\n", x.Message, strings.Join(x.Diff, "\n  "))
	}
}

// TestSame has the same page for the same run.
func TestSame(t *testing.T) {
	if a, b := written(t, sample(t)), written(t, sample(t)); a != b {
		t.Error("two pages of one run are not the same")
	}
}

// hostile is text that would end elements, attributes, comments and strings.
const hostile = "</script><script>alert(1)</script></style><!--<script> -->]]>\"'`${x}\\\u2028\u2029\x00&amp;"

// fill sets every string of a value that is exported, in all that it leads to.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.String:
		v.SetString(text)
	}
}

// TestHostile has text that would be code stay text, in each field of a run.
func TestHostile(t *testing.T) {
	plain := written(t, &report.Run{})
	run := new(report.Run)
	fill(reflect.ValueOf(run), hostile)
	steps := run.Findings[1]
	run.Findings[0].Steps = nil // then the witness is drawn
	text := written(t, run)
	for _, tag := range []string{"<script", "</script", "<style", "</style", "<!--", "alert(1)<"} {
		if got, want := strings.Count(text, tag), strings.Count(plain, tag); got != want {
			t.Errorf("%d times %q, want %d", got, tag, want)
		}
	}
	if strings.ContainsAny(dataElement.FindString(text), "\u2028\u2029") {
		t.Error("a separator of lines is in the code as it is")
	}
	p := dataOf(t, text)
	if got := p.Findings[1].Events[0].Text; got != steps.Steps[0].Does {
		t.Errorf("the data has %q, want %q", got, steps.Steps[0].Does)
	}
	if got := p.Findings[0].Events; len(got) == 0 || !strings.Contains(got[0].Text, hostile) {
		t.Errorf("the witness is %+v", got)
	}
}

// TestPolicy has the policy allow what is in the page, and nothing else.
func TestPolicy(t *testing.T) {
	text := written(t, sample(t))
	for _, x := range []struct{ element, directive string }{
		{`(?s)<style>(.*?)</style>`, "style-src"}, {`(?s)<script>(.*?)</script>`, "script-src"},
	} {
		m := regexp.MustCompile(x.element).FindAllStringSubmatch(text, -1)
		if len(m) != 1 {
			t.Fatalf("%d of %s", len(m), x.element)
		}
		if want := x.directive + " '" + hash(m[0][1]) + "';"; !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(text, `content="default-src 'none'; `) {
		t.Error("the policy allows more than is named")
	}
	for _, attribute := range []string{" style=", " onclick=", " src=", " href="} {
		if strings.Contains(text, attribute) {
			t.Errorf("the page has an attribute%s", attribute)
		}
	}
}

// TestPlain has each finding in the list for where scripts are off.
func TestPlain(t *testing.T) {
	run := sample(t)
	text := written(t, run)
	start, end := strings.Index(text, "<noscript>"), strings.Index(text, "</noscript>")
	if start < 0 || end < start {
		t.Fatal("no list")
	}
	list := text[start:end]
	if got := strings.Count(list, "<li>"); got != len(run.Findings) {
		t.Errorf("%d findings in the list, want %d", got, len(run.Findings))
	}
	for _, want := range []string{"Store goes by what Load returned at line 18",
		"check-then-act race, race, testdata/src/cache.go:22", "How to mend it: check and act in one",
		"<pre>==================\nWARNING: CHECK-THEN-ACT RACE"} {
		if !strings.Contains(list, want) {
			t.Errorf("the list has no %q", want)
		}
	}
}

// many is a run with so many findings, each of other places.
func many(t testing.TB, n int) *report.Run {
	t.Helper()
	base := sample(t)
	run := &report.Run{Version: report.Version}
	for i := range n {
		f := *base.Findings[i%len(base.Findings)]
		f.Package = fmt.Sprintf("example.com/p%d", i%20)
		f.Headline = fmt.Sprintf("finding %d", i)
		if o := f.Object; o != nil {
			other := *o
			other.Name = fmt.Sprintf("Cache.values%d", i/3)
			f.Object = &other
		}
		run.Findings = append(run.Findings, &f)
	}
	return run
}

// TestLinear has space and work grow as the findings do.
func TestLinear(t *testing.T) {
	const n = 600
	size := func(n int) (bytes, allocs float64) {
		run := many(t, n)
		return float64(len(written(t, run))), testing.AllocsPerRun(1, func() { written(t, run) })
	}
	none, start := size(0)
	one, work := size(n)
	four, more := size(4 * n)
	if got := (four - none) / (one - none); got < 1 || got > 4.2 {
		t.Errorf("4 times the findings take %.2f times the space", got)
	}
	if got := (more - start) / (work - start); got < 1 || got > 4.4 {
		t.Errorf("4 times the findings take %.2f times the allocations", got)
	}
	t.Logf("%.0f bytes a finding", (four-none)/(4*n))
}

// TestFailures has a failure of an explored test without a finding beside findings: with the
// schedule, what the test has printed, and a name of its own.
func TestFailures(t *testing.T) {
	run := sample(t)
	n := len(run.Findings)
	for _, why := range []string{"panic: send on closed channel", "x_test.go:7: got 1"} {
		run.Failures = append(run.Failures, report.Failure{Package: "a.com/p", Why: why,
			Output: why + "\nmore\n", Schedule: report.Schedule{Test: "TestX", Steps: []report.Step{
				{Goroutine: "goroutine 1.1", At: "/p/x_test.go:6", Does: "close(c)", Forced: true},
				{Goroutine: "goroutine 1.2", At: "/p/x_test.go:9", Does: "c <- 1"}}}})
	}
	text := written(t, run)
	p := dataOf(t, text)
	if len(p.Findings) != n+2 || !strings.Contains(text, fmt.Sprintf("commute: %d findings", n+2)) {
		t.Fatalf("%d findings, want %d", len(p.Findings), n+2)
	}
	f := p.Findings[n]
	if f.Headline != "TestX: panic: send on closed channel" || f.Kind != "failed test" ||
		f.Evidence != "observed" || f.Package != "a.com/p" || f.ID == p.Findings[n+1].ID ||
		len(f.Explored) != 1 || len(f.Explored[0].Lanes) != 2 || !f.Explored[0].Events[0].Forced {
		t.Errorf("the failure is shown as %+v", f)
	}
	var lines []string
	for _, i := range f.Report {
		lines = append(lines, p.Lines[i])
	}
	if got := strings.Join(lines, "\n"); got != "panic: send on closed channel\nmore" {
		t.Errorf("its text is %q", got)
	}
}
