// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/check/reorder/brute"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/internal/trace/tracegen"
	"github.com/commutego/commute/report"
)

var scratch string // a folder for the command

func TestMain(m *testing.M) {
	if dir := os.Getenv(fakeVariable); dir != "" {
		os.Exit(fake(dir, os.Args[1:]))
	}
	log.LogLevel = "error"
	beam.Init()
	var err error
	if scratch, err = os.MkdirTemp("", "pipeline"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

// An output is what a pipeline has written.
type output struct {
	lines []*Line // but for the summary
	*Summary
	text string
}

// through runs a pipeline on prism.
func through(t *testing.T, o Options, patterns ...string) output {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out", "findings.jsonl")
	if err := tryThrough(o, out, patterns...); err != nil {
		t.Fatal(err)
	}
	return read(t, out)
}

func tryThrough(o Options, out string, patterns ...string) error {
	*jobopts.JobName = "" // or else the last one's would be used
	p, s := beam.NewPipelineWithRoot()
	Build(s, patterns, out, o)
	_, err := beam.Run(context.Background(), "prism", p)
	return err
}

func read(t *testing.T, name string) (out output) {
	t.Helper()
	summary, err := Read(context.Background(), name, func(l *Line, data []byte) error {
		if l.Summary == nil {
			out.lines = append(out.lines, l)
		}
		out.text += string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out.Summary = summary
	return out
}

// generate writes random traces into a folder: half of them with locks that are mutexes, as texts.
func generate(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		tr, name := tracegen.Random(uint64(i)), fmt.Sprintf("%04d.trace", i)
		if i%2 == 0 {
			tr, name = brute.Random(uint64(i)).Trace, fmt.Sprintf("%04d.txt", i)
		}
		if tr.Mutexes && !slices.ContainsFunc(tr.Events, func(e event.Event) bool {
			return e.Op == event.Touch || e.Op == event.ReleaseMerge
		}) {
			name = fmt.Sprintf("%04d.std", i)
		}
		write(t, filepath.Join(dir, name), &tr)
	}
	return dir
}

func write(t *testing.T, name string, tr *tracegen.Trace) {
	t.Helper()
	tables := trace.NewTables()
	tables.Relation, tables.Mutexes = tr.Relation, tr.Mutexes
	out, err := tracefile.Create(name, "", spec.S2, tables)
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(tr.Events); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}

// analyzed is what "commute analyze" prints of files, in their order.
func analyzed(t *testing.T, args ...string) (list []*report.Trace) {
	t.Helper()
	c := exec.Command(command(t), append([]string{"analyze", "-json"}, args...)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	data, err := c.Output()
	if code := c.ProcessState.ExitCode(); code < 0 || code > 2 {
		t.Fatalf("commute analyze: %v\n%s", err, stderr.String())
	}
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		x := new(report.Trace)
		if err := d.Decode(x); err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// command is the command of this repository, which is built once.
func command(t *testing.T) string {
	t.Helper()
	name, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return name
}

var built = sync.OnceValues(func() (string, error) {
	name := filepath.Join(scratch, "commute")
	c := exec.Command("go", "build", "-buildvcs=false", "-o", name, "./cmd/commute")
	c.Dir = "../../.."
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return name, err
})

// same compares what a pipeline has written with what was found in each trace. For all that it
// must be, the traces are gone through once for each line.
func same(t *testing.T, got output, want []*report.Trace) {
	t.Helper()
	prints := make(map[string]bool)
	s := Summary{Traces: len(want)}
	for _, x := range want {
		s.Events += x.Events
		if x.Error != "" {
			s.Failed++
			has := slices.ContainsFunc(got.lines, func(l *Line) bool {
				return l.File == x.File && l.Error == x.Error
			})
			if !has {
				t.Errorf("no line with the error: %s", x.Error)
			}
		}
		for _, f := range x.Findings() {
			prints[f.Fingerprint()] = true
		}
	}
	s.Findings = len(prints)
	if len(got.lines) != s.Findings+s.Failed {
		t.Errorf("%d lines, want %d findings and %d errors", len(got.lines), s.Findings, s.Failed)
	}
	for _, l := range got.lines {
		if l.Error != "" {
			continue
		}
		if !prints[l.Fingerprint] {
			t.Errorf("%s: nobody has found it, or it stands there twice", l.Fingerprint)
		}
		delete(prints, l.Fingerprint)
		in, has := tracesWith(want, l)
		if l.Traces != len(in) || !slices.Equal(l.In, in[:min(len(in), MaxIn)]) || !has {
			t.Errorf("%s: in %d traces, %v; want %d, %v; the finding is one of them: %v",
				l.Fingerprint, l.Traces, l.In, len(in), in, has)
		}
	}
	sum := *got.Summary
	sum.Checks = nil
	if fmt.Sprint(&sum) != fmt.Sprint(&s) {
		t.Errorf("summary %v want %v", &sum, &s)
	}
	for _, c := range got.Checks {
		findings, traces, data := countsOf(want, c.Name)
		if c.Findings != findings || c.Traces != traces || c.Data != data {
			t.Errorf("%+v, want %d findings in %d of %d traces", c, findings, traces, data)
		}
		if blocks := blocksOf(want, c.Name); c.Blocks != nil && *c.Blocks != blocks {
			t.Errorf("%+v, want %+v", *c.Blocks, blocks)
		}
	}
}

// tracesWith are the traces with a finding, and whether the one in the line is one of theirs.
func tracesWith(list []*report.Trace, l *Line) (in []string, has bool) {
	for _, x := range list {
		for _, f := range x.Findings() {
			if f.Fingerprint() != l.Fingerprint {
				continue
			}
			if !slices.Contains(in, x.File) {
				in = append(in, x.File)
			}
			has = has || bytes.Equal(encode(f), encode(l.Finding))
		}
	}
	return in, has
}

// countsOf is how much a check has found, in how many traces, and how many have data for it.
func countsOf(list []*report.Trace, name string) (findings, traces, data int) {
	prints := make(map[string]bool)
	for _, x := range list {
		for _, c := range x.Checks {
			if c.Name != name {
				continue
			}
			if len(c.Findings) > 0 {
				traces++
			}
			if !c.NoData {
				data++
			}
			for _, f := range c.Findings {
				prints[f.Fingerprint()] = true
			}
		}
	}
	return len(prints), traces, data
}

// blocksOf is what became of all transactions together.
func blocksOf(list []*report.Trace, name string) (sum report.Blocks) {
	for _, x := range list {
		for _, c := range x.Checks {
			if c.Name == name && c.Blocks != nil {
				sum.Add(c.Blocks)
			}
		}
	}
	return sum
}

// TestSame compares what the pipeline finds with what "commute analyze" finds, in generated traces
// and in recorded ones, by all checks.
func TestSame(t *testing.T) {
	n := 100
	if longtest.Asked() {
		n = 1000
	}
	dir := generate(t, n)
	for _, c := range []struct {
		Options
		flags    []string
		patterns []string
	}{
		{Options{}, nil, []string{dir + "/*"}},
		{Options{All: true}, []string{"-all"}, []string{dir + "/*"}},
		{
			Options{Checks: []string{"frontier", "avp", "goodlock", "forest-conflict", "metainfo"},
				AVP: avp.Options{Window: 8, Budget: 300, Switches: 2}, All: true},
			[]string{"-check=frontier,avp,goodlock,forest-conflict,metainfo", "-window=8",
				"-budget=300", "-switches=2", "-all"},
			[]string{dir + "/*"},
		},
		{
			Options{Checks: []string{"avp"}, AVP: avp.Options{Window: 20, NoForest: true}},
			[]string{"-check=avp", "-window=20", "-forest=false"}, []string{dir + "/*"},
		},
		{
			Options{Checks: []string{"avp"}, All: true, AVP: avp.Options{Window: 20}},
			[]string{"-check=avp", "-window=20", "-all"},
			append([]string{"../../../internal/offline/testdata/bank.txt"}, recorded...),
		},
		{Options{All: true, Level: "all"}, []string{"-all", "-level=all"}, recorded},
		{Options{Suppressions: "Deposit"}, []string{"-suppressions", suppressed(t)}, recorded},
		{
			Options{Checks: []string{"avp", "goodlock", "forest-conflict", "block"}, All: true},
			[]string{"-check=avp,goodlock,forest-conflict,block", "-all"},
			[]string{
				"../../../internal/offline/testdata/bank.txt",
				"../../../internal/offline/testdata/locks.txt",
			},
		},
	} {
		var files []string
		for _, p := range c.patterns {
			names, err := filepath.Glob(p)
			if err != nil || len(names) == 0 {
				t.Fatalf("%s: %d files, %v", p, len(names), err)
			}
			files = append(files, names...)
		}
		want := analyzed(t, append(c.flags, files...)...)
		got := through(t, c.Options, c.patterns...)
		same(t, got, want)
		t.Logf("%v: %v", c.flags, got.Summary)
		if got.Findings < 2 {
			t.Errorf("%v: %d findings: nothing was compared", c.flags, got.Findings)
		}
	}
}

// recorded are patterns of traces that commute has recorded, and of texts of other tools.
var recorded = []string{
	"../../../internal/offline/testdata/recorded.txt",
	"../../../internal/offline/testdata/predicted.txt", "../../../testdata/docs/traces/[bd]*.std",
}

func suppressed(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "suppressions")
	if err := os.WriteFile(name, []byte("Deposit\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}
