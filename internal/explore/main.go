// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// exitFailed is the exit code of a test binary some of whose tests have failed.
const exitFailed = 1

// Main is the main function of the program that the go command runs in place of a test binary. Line
// is the command line of the test binary. Main returns the exit code.
func Main(line []string, out io.Writer) (int, error) {
	plan, err := ParsePlan(os.Getenv(PlanVariable))
	if err != nil {
		return 0, err
	}
	os.Unsetenv(PlanVariable)
	if plan.LeaksOff {
		os.Setenv(leaksVariable, "off")
	}
	b, err := ParseBinary(line)
	if err != nil {
		return 0, err
	}
	defer stopWhenAsked()()
	plan.Package = "."
	if info, err := buildinfo.ReadFile(b.Path); err == nil {
		plan.Package, plan.version = strings.TrimSuffix(info.Path, ".test"), info.GoVersion
	}
	tests, err := b.Tests()
	if err != nil {
		return 0, err
	}
	if path := os.Getenv(requestVariable); path != "" {
		os.Unsetenv(requestVariable)
		return 0, answerRequest(&b, plan, tests, path)
	}
	w := &writer{out: out, verbose: b.Verbose != "" && b.Verbose != "false"}
	if b.Verbose == "test2json" {
		w.mark = "\x16"
	}
	if plan.Perturb {
		return perturbAll(&b, plan, tests, w)
	}
	if plan.Kept {
		failed, err := runKept(&b, plan, w)
		return w.verdict(failed), err
	}
	if plan.File != "" {
		if plan.file, err = ReadFile(plan.File); err != nil {
			return 0, err
		}
		if tests, err = plan.file.among(tests, plan); err != nil {
			return 0, err
		}
	}
	failed, early := false, false
	var lines []string
	var covered Cover
	var replayable []Replayable
	for _, test := range tests {
		w.begin(test)
		var r *Result
		if plan.Replay != "" {
			r, err = Replay(&b, plan, test)
		} else {
			r, err = Explore(&b, plan, test)
		}
		if early = errors.Is(err, errStopped) && r != nil; early {
			lines = append(lines, r.interrupted(plan))
			break
		}
		if err != nil {
			return 0, err
		}
		r.keep(plan, b.here())
		r.remember(&b, plan)
		w.end(r, plan)
		if plan.Replay == "" {
			lines = append(lines, r.line())
		}
		for _, note := range r.notes {
			lines = append(lines, "note "+note)
		}
		replayable = append(replayable, r.replayable(plan)...)
		covered.Merge(&r.Cover)
		covered.add(coverTest{plan.Package, test, plan.Base, plan.Shard},
			coverRuns{r.Runs, r.Switches, r.Failure != nil})
		if failed = failed || r.Failure != nil; failed && plan.Fast {
			break
		}
	}
	if plan.Told != "" {
		err := errors.Join(tell(plan.Told, lines), tellReplayable(plan.Told, replayable))
		if plan.Replay == "" {
			err = errors.Join(err, tellCover(plan.Told, &covered))
		}
		if err != nil {
			return 0, err
		}
	}
	if early {
		return exitStopped, nil
	}
	if len(tests) == 0 && !failed {
		fmt.Fprintln(out, "testing: warning: no tests to run")
	}
	return w.verdict(failed), nil
}

// among is the test of a file, if it is among some of the package of the plan.
func (f *File) among(tests []string, plan Plan) ([]string, error) {
	switch {
	case f.Package != plan.Package:
		return nil, nil
	case !slices.Contains(tests, f.Test):
		return nil, fmt.Errorf("%s is the schedule of %s, and %s has no such test, or -run leaves "+
			"it out", plan.File, f.Test, plan.Package)
	}
	return []string{f.Test}, nil
}

// verdict writes the last line, and returns the exit code.
func (w *writer) verdict(failed bool) int {
	if failed {
		fmt.Fprintln(w.out, w.mark+"FAIL")
		return exitFailed
	}
	fmt.Fprintln(w.out, w.mark+"PASS")
	return 0
}

// tell writes lines for the end, to a file of its own.
func tell(dir string, lines []string) error {
	f, err := os.CreateTemp(dir, "explored-")
	if err != nil {
		return err
	}
	for _, line := range lines {
		fmt.Fprintln(f, line)
	}
	return f.Close()
}

// A writer writes what package testing would, of tests that are explored.
type writer struct {
	out     io.Writer
	verbose bool
	mark    string // begins lines for the tool that makes JSON of them
}

func (w *writer) begin(test string) {
	if w.verbose {
		fmt.Fprintf(w.out, "%s=== RUN   %s\n", w.mark, test)
	}
}

func (w *writer) end(r *Result, plan Plan) {
	f := r.Failure
	switch {
	case f == nil && w.verbose && r.file != "":
		fmt.Fprintf(w.out, "%s--- PASS: %s (%.2fs)\n    by %s\n", w.mark, r.Test,
			r.Elapsed.Seconds(), r.file)
		return
	case f == nil && w.verbose:
		fmt.Fprintf(w.out, "%s--- PASS: %s (%.2fs)\n    %s\n", w.mark, r.Test, r.Elapsed.Seconds(),
			r.line())
		return
	case f == nil:
		return
	case r.file != "":
		fmt.Fprintf(w.out, "%s--- FAIL: %s (by %s)\n", w.mark, r.Test, r.file)
	case plan.Replay != "":
		fmt.Fprintf(w.out, "%s--- FAIL: %s (replayed)\n", w.mark, r.Test)
	case len(r.More) > 0:
		fmt.Fprintf(w.out, "%s--- FAIL: %s (explored: %d different failures in %d runs)\n", w.mark,
			r.Test, 1+len(r.More), r.Runs)
		for _, f := range append([]*Failure{f}, r.More...) {
			fmt.Fprintf(w.out, "    run %d:\n", f.Run)
			w.failure(f, r.Test, plan, "    ")
		}
		return
	default:
		of := ""
		if plan.Runs > 0 {
			of = fmt.Sprintf(" of %d", plan.Runs)
		}
		fmt.Fprintf(w.out, "%s--- FAIL: %s (explored: run %d%s)\n", w.mark, r.Test, f.Run, of)
	}
	w.failure(f, r.Test, plan, "")
}

// failure writes what a failure has printed, and what is said besides.
func (w *writer) failure(f *Failure, test string, plan Plan, indent string) {
	for line := range bytes.Lines(f.body(test)) {
		fmt.Fprintf(w.out, "    %s%s", indent, line)
	}
	for _, line := range f.advice(test, plan) {
		fmt.Fprintf(w.out, "    %s%s\n", indent, line)
	}
}

// body is the output of the process without what package testing says of the test itself, and of
// the end.
func (f *Failure) body(test string) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(withoutReplaced(f.Output)) {
		switch text := strings.TrimRight(string(line), "\n"); {
		case strings.HasPrefix(text, "--- FAIL: "+test+" ("), text == "FAIL", text == "PASS",
			strings.HasPrefix(text, "=== RUN"):
		default:
			b.WriteString(text + "\n")
		}
	}
	return b.Bytes()
}

// advice is what is said of a failure besides.
func (f *Failure) advice(test string, plan Plan) (lines []string) {
	if f.Killed {
		lines = append(lines, fmt.Sprintf("the process was ended after %v: see -timeout",
			plan.Timeout*time.Duration(len(f.Seeds))))
	}
	if bytes.Contains(f.Output, []byte("panic: test timed out after ")) {
		lines = append(lines, "time has jumped to the timeout, as all goroutines waited: for each "+
			"other, as a rule")
	}
	lines = append(lines, explain(f.Output)...)
	if f.Unobserved > 0 {
		lines = append(lines, fmt.Sprintf("it could happen, and has not in %d more runs",
			f.Unobserved))
	}
	if s := f.Schedule; s != nil {
		lines = append(lines, s.line())
		if len(s.Forces) > 0 { // else nothing is to be seen in it
			for _, row := range s.diagram() {
				lines = append(lines, strings.TrimRight("  "+row, " "))
			}
		}
	}
	switch {
	case plan.Replay != "":
		return lines
	case !f.Again:
		lines = append(lines, "it has not failed again by the same seeds: it depends on what is "+
			"outside of the program, too")
		if f.Differ != "" {
			lines = append(lines, "two runs by these seeds are not the same, from here on:")
			for line := range strings.Lines(f.Differ) {
				lines = append(lines, "  "+strings.TrimRight(line, "\n"))
			}
		}
	case len(f.Seeds) > 2:
		lines = append(lines, fmt.Sprintf("it fails only after the %d runs before it, in one "+
			"process", len(f.Seeds)-1))
	}
	if f.kept != "" {
		lines = append(lines, f.kept)
	}
	return append(lines, "replay: "+f.replay(test, plan))
}

// replay is the command that runs a test once more by the seeds of a failure.
func (f *Failure) replay(test string, plan Plan) string {
	var words []string
	for _, s := range f.Seeds {
		words = append(words, s.String())
	}
	return fmt.Sprintf("commute test -replay=%s -run '^%s$' %s", strings.Join(words, ","), test,
		plan.Package)
}

// line says in one line what has become of a test.
func (r *Result) line() string {
	text := fmt.Sprintf("explored %s: %s, %d different", r.Test, count(r.Runs, "run"), r.Different)
	if r.Failure != nil {
		return text + "; it fails"
	}
	switch {
	case r.Switches > 0 && r.Different <= 1:
		text += "; there is nothing to decide"
	case r.Switches > 0:
		text += "; " + r.Shard.of(noSchedule(r.Switches))
	}
	if covered := r.Cover.Line(); covered != "" {
		text += "; " + covered
	}
	if r.Arrivals > 0 {
		text += fmt.Sprintf("; %s from outside", count(r.Arrivals, "arrival"))
	}
	return text
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Summary reads the data that the test binaries have written to a folder, and says in a line what
// was explored. It returns "" if nothing was explored.
func Summary(dir string) string {
	files, _ := filepath.Glob(filepath.Join(dir, "explored-*"))
	tests, runs, different, failed, what := 0, 0, 0, 0, "explored"
	for _, name := range files {
		text, _ := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			var r, d int
			_, rest, _ := strings.Cut(line, ": ")
			rest = strings.Replace(rest, "runs", "run", 1)
			if n, _ := fmt.Sscanf(rest, "%d run, %d different", &r, &d); n > 0 {
				if n == 1 {
					what = "perturbed"
				}
				tests, runs, different = tests+1, runs+r, different+d
				if strings.Contains(rest, "; it fails") {
					failed++
				}
			}
		}
	}
	if tests == 0 {
		return ""
	}
	verdict := "none fails"
	if failed > 0 {
		verdict = count(failed, "test") + " failed"
	}
	text := fmt.Sprintf("%s %s: %s", what, count(tests, "test"), count(runs, "run"))
	if what == "explored" {
		text += fmt.Sprintf(", %d different", different)
	}
	return text + "; " + verdict
}

// Told reads the notes of the test binaries in a folder: lines for the user, the number of kept
// schedules that were run, and the number of those that failed.
func Told(dir string) (notes []string, kept, failed int) {
	files, _ := filepath.Glob(filepath.Join(dir, "explored-*"))
	for _, name := range files {
		text, _ := os.ReadFile(name)
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSuffix(line, "\n")
			if note, ok := strings.CutPrefix(line, "note "); ok {
				notes = append(notes, note)
			}
			if line == "kept passed" || line == "kept failed" {
				kept++
			}
			if line == "kept failed" {
				failed++
			}
		}
	}
	slices.Sort(notes)
	return notes, kept, failed
}
