// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// selves is why a test is not compared.
const selves = "another program takes the place of the test's, and writes the trace anew"

// A replayed module is one of testdata whose tests are recorded.
type replayed struct {
	name   string
	every  int // takes one of so many tests, all if the long tests are asked for
	floor  int // findings of calls and critical sections that are to be there, at least
	long   bool
	levels []string          // of runs and analyses; nil: all
	but    map[string]string // patterns of tests that are not compared, and why
	// Tests of which it is not compared what interfered with a transaction: at the moment at which
	// one ends, the other's access can be in the trace, and not yet in the run's graph.
	either []string
}

// compares reports whether a test of the module is compared.
func (m *replayed) compares(name string) bool {
	for pattern := range m.but {
		if ok, err := path.Match(pattern, name); ok || err != nil {
			return false
		}
	}
	return true
}

// replayedModules are modules that can be recorded. They do not include modules that are built
// for several programs (docs, endings, refuted), that have no calls (dataraces), whose findings are
// not in traces (expected), or that are for other measures (speed, stress, grpc).
var replayedModules = []replayed{
	{name: "checkacts", every: 1, floor: 40},
	{name: "verdicts", every: 4, floor: 12},
	{name: "annotations", every: 6, floor: 1},
	{name: "edges", every: 1, floor: 20, long: true, but: map[string]string{
		"TestNoRaceExec": selves, "TestRaceExec": selves,
	}},
	{name: "atomics", every: 1, long: true},
	{name: "shipped", every: 1, floor: 20, long: true},
	{name: "attribution", every: 1, floor: 3, long: true},
	{name: "transactions", every: 8, floor: 5, either: []string{
		"TestRaceThree", "TestRaceTwoRunning",
	}},
	{name: "papers", every: 1, floor: 20, long: true},
	{name: "inferred", every: 1, floor: 10, long: true},
	{name: "unmarked", every: 3, floor: 5},
	{name: "composed", every: 1, floor: 5},
	{name: "levels", every: 3, floor: 8, levels: []string{"violations", "updates", "races", "all"}},
	{name: "io", every: 1, floor: 3, long: true},
	{name: "io/process", every: 1, long: true},
	{name: "drafts", every: 1, floor: 1, long: true},
}

// TestReplay records tests, and wants the analysis of each trace to report what the run has
// reported of calls, marked transactions and critical sections. It compares races, and checks with
// their acts, by methods, places, evidence and effects; and violations, also those that are
// predicted, by function, lines, and what interfered. Checks and acts in two critical sections are
// compared by the function, what it looks at, places, evidence and effects. No test compares data
// races: see docs/limits.md.
func TestReplay(t *testing.T) {
	t.Parallel()
	tool := commute(t)
	for _, m := range replayedModules {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			if m.long {
				needLong(t, "several modules are built and all of their tests are run")
			} else if m.every == 1 {
				longtest.Same(t)
			}
			b := build(t, tool, m.name, "-datarace")
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			if m.levels == nil {
				m.levels = []string{"all"}
			}
			var list []*recording
			for i, name := range names {
				if i%m.every != 0 && !long() || !m.compares(name) {
					continue
				}
				for _, level := range m.levels {
					list = append(list, &recording{test: name, level: level,
						either: slices.Contains(m.either, name)})
				}
			}
			replayAll(b, t.TempDir(), list)
			found := 0
			for _, r := range list {
				r.compare(t)
				r.compareWords(t)
				found += len(r.run)
			}
			t.Logf("%d runs, %d findings", len(list), found)
			if found < m.floor {
				t.Errorf("%d findings, want at least %d", found, m.floor)
			}
		})
	}
}

// A recording is a test that was recorded, and what the run and the analysis have found.
type recording struct {
	test, level string
	either      bool // it doesn't matter what interfered with a transaction
	run, trace  []string
	says, told  said // what the reports of the run and of the analysis say
	err         error
}

// replayAll makes recordings in a folder, some at a time.
func replayAll(b *Binary, dir string, list []*recording) {
	next := make(chan *recording)
	var wg sync.WaitGroup
	for i := range max(2, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			own := filepath.Join(dir, fmt.Sprint(i))
			for r := range next {
				if r.err = os.Mkdir(own, 0o777); r.err == nil {
					r.err = r.replay(b, own)
				}
				_ = os.RemoveAll(own)
			}
		})
	}
	for _, r := range list {
		next <- r
	}
	close(next)
	wg.Wait()
}

// compare wants the run and the analysis to have found the same.
func (r *recording) compare(t *testing.T) {
	t.Helper()
	if r.err != nil {
		t.Errorf("%s, level %s: %v", r.test, r.level, r.err)
	}
	for _, x := range r.run {
		if !slices.Contains(r.trace, x) && !isPart(x, r.run) && !isWeaker(x, r.trace) {
			t.Errorf("%s, level %s: only the run reports:\n\t%s", r.test, r.level, x)
		}
	}
	for _, x := range r.trace {
		if !slices.Contains(r.run, x) && !isWeaker(x, r.run) {
			t.Errorf("%s, level %s: only the analysis reports:\n\t%s", r.test, r.level, x)
		}
	}
}

// compareWords wants the reports of the run and of the analysis to say the same.
func (r *recording) compareWords(t *testing.T) {
	t.Helper()
	for _, x := range r.says.differ(r.told) {
		t.Errorf("%s, level %s: the reports differ:\n\t%s", r.test, r.level, x)
	}
}

// replay runs the test, and notes what the run and the analysis of its trace find of calls, of
// transactions and of critical sections. The trace is written to an empty folder.
func (r *recording) replay(b *Binary, dir string) error {
	cmd := exec.Command(b.Path, "-test.run=^"+r.test+"$")
	cmd.Dir = b.Dir
	cmd.Env = append(os.Environ(), "COMMUTE=atexit_sleep_ms=0 level="+r.level+" trace="+dir)
	out, _ := cmd.CombinedOutput()
	files, _ := filepath.Glob(filepath.Join(dir, "*.trace"))
	if len(files) > 1 { // its children have one each
		pid := fmt.Sprintf(".%d.trace", cmd.Process.Pid)
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.HasSuffix(f, pid) })
	}
	if len(files) != 1 {
		return fmt.Errorf("%d traces, want 1\n%s", len(files), out)
	}
	broken, err := r.analyze(files[0])
	if err != nil {
		return err
	}
	violations := reportedViolations(string(out))
	r.says = saidByRun(string(out))
	r.run = append(reportedCalls(string(out)), reportedSections(string(out))...)
	line := func(v violated) string {
		if r.either {
			v.other = "anything"
		}
		return v.String()
	}
	for _, v := range violations {
		if !v.foretells(broken) {
			r.run = append(r.run, line(v))
		}
	}
	for _, v := range broken {
		if !v.follows(violations) {
			r.trace = append(r.trace, line(v))
		}
	}
	r.run, r.trace = unique(r.run), unique(r.trace)
	return nil
}

// analyze notes what the analysis of a trace finds of calls and of critical sections, and returns
// the violations.
func (r *recording) analyze(file string) (broken []violated, err error) {
	f, err := tracefile.Open(file, "")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var count atomic.Uint64
	o := offline.Options{All: true, Level: offline.Levels[r.level]}
	result, err := offline.Run(f, o, &count)
	if err != nil {
		return nil, err
	}
	r.told = make(said)
	note := func(line string, x *report.Finding) {
		r.trace = append(r.trace, line)
		saidOf(r.told, line, x)
	}
	for i := range result.Checks {
		for _, x := range result.Checks[i].Reports(f) {
			switch {
			case x.Sections != nil:
				note(sectionOf(x), x)
			case x.Kind == report.CommutativityRace, x.Kind == report.CheckThenActRace:
				note(wordsOf(x), x)
			case x.Kind == report.AtomicityViolation:
				broken = append(broken, violationOf(x))
			}
		}
	}
	return broken, nil
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

var (
	callBlock = regexp.MustCompile(
		`(?s)\nWARNING: (COMMUTATIVITY|CHECK-THEN-ACT) RACE\n(.*?)\n====`)
	callSide = regexp.MustCompile(
		`(?m)^(Previous |Act: |In between: |The other's check: |Check: |)` +
			`(\w+)\(.*\).* by goroutine \d+(?:, in the function that acts)?:` +
			`\n  .*\n      (.*):(\d+)$`)
	goesWrong = regexp.MustCompile(`(?m)^What can go wrong: ([^:]*):`)
	surely    = regexp.MustCompile(`(?m)^Evidence: (\w+):`)
)

// reportedCalls is the findings of calls that a run has printed, a line each.
func reportedCalls(out string) (list []string) {
	for _, block := range callBlock.FindAllStringSubmatch("\n"+out, -1) {
		text := block[2]
		if looksAt.MatchString(text) {
			continue
		}
		sides := make(map[string]string)
		for _, s := range callSide.FindAllStringSubmatch(text, -1) {
			sides[s[1]] = fmt.Sprintf("%s %s:%s", s[2], filepath.Base(s[3]), s[4])
		}
		effect := goesWrong.FindStringSubmatch(text)[1]
		evidence := surely.FindStringSubmatch(text)[1]
		if block[1] == "COMMUTATIVITY" {
			list = append(list, raceLine(sides[""], sides["Previous "], effect, evidence))
			continue
		}
		other := sides["In between: "] + sides["The other's check: "]
		list = append(list, breachLine(sides["Check: "], sides["Act: "], other, effect, evidence))
	}
	return list
}

func raceLine(a, b, effect, evidence string) string {
	return fmt.Sprintf("%s, %s: %s, %s", min(a, b), max(a, b), effect, evidence)
}

func breachLine(check, act, other, effect, evidence string) string {
	return fmt.Sprintf("check %s, act %s, other %s: %s, %s", check, act, other, effect, evidence)
}

// wordsOf is a finding of the analysis, as reportedCalls has it.
func wordsOf(x *report.Finding) string {
	side := func(e *report.Event) string {
		if len(e.Stack) == 0 {
			return e.Method
		}
		return fmt.Sprintf("%s %s:%d", e.Method, filepath.Base(e.Stack[0].File), e.Stack[0].Line)
	}
	at, previous := side(&x.At), side(x.Previous)
	if x.Kind == report.CommutativityRace {
		return raceLine(at, previous, string(x.Effect), string(x.Evidence))
	}
	if x.Act == "previous" {
		at, previous = previous, at
	}
	return breachLine(side(x.Decided), at, previous, string(x.Effect), string(x.Evidence))
}

// TestReportedCalls wants the report of a run to be read as the analysis has it.
func TestReportedCalls(t *testing.T) {
	const out = `==================
WARNING: CHECK-THEN-ACT RACE
p.f checks with Load and then acts with Store, which is not atomic: goroutine 9 ...

Check: Load(key: "k") = (value: nil, ok: false) by goroutine 9, in the function that acts:
  p.f()
      /a/b.go:19

Act: Store(key: "k", value: 1) [previous: nil, loaded: false] by goroutine 9:
  p.f()
      /a/b.go:24

In between: Delete(key: "k") by goroutine 10:
  p.g()
      /a/c.go:4

What can go wrong: stale check: by the time of Store, Delete has changed what Load saw
Evidence: observed: this has happened, in this order
==================
`
	want := []string{
		"check Load b.go:19, act Store b.go:24, other Delete c.go:4: stale check, observed",
	}
	if got := reportedCalls(out); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(out, "WARNING") ||
		len(reportedCalls(strings.ReplaceAll(out, "CHECK", "X"))) != 0 {
		t.Error("what is no race of calls is read as one")
	}
}
