// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/commutego/commute/report"
)

// mostSteps is how many steps of a schedule are told for reports at most: those that matter most.
const mostSteps = 60

// A Replayable is a schedule by which a test has failed, and the findings that this run had, by
// their fingerprints.
type Replayable struct {
	Schedule report.Schedule `json:"schedule"`
	Found    []string        `json:"found"`

	// If nothing was found: the package, a line that says why the test fails, and what it printed.
	Package string `json:"package,omitempty"`
	Why     string `json:"why,omitempty"`
	Output  string `json:"output,omitempty"`
}

// steps are what a diagram of the schedule shows where it has more room: forced switches, and what
// goroutines do with objects that others use, too.
func (s *Schedule) steps() (steps []report.Step) {
	list := joinWaits(s.log.acts())
	columns := columnsOf(list)
	list = slices.DeleteFunc(list, func(a act) bool { return !slices.Contains(columns, a.name) })
	order := byImportance(list)
	order = order[:min(mostSteps, len(order))]
	slices.Sort(order)
	src := make(source)
	for _, i := range order {
		a := list[i]
		step := report.Step{Goroutine: "goroutine " + a.name, Does: a.text(src, true),
			Forced: a.forced()}
		if a.at.file != "" {
			step.At = fmt.Sprintf("%s:%d", a.at.file, a.at.line)
			step.Does = strings.Replace(step.Does, fmt.Sprintf("%d  ", a.at.line), "", 1)
		}
		step.Does = strings.TrimPrefix(step.Does, "> ")
		steps = append(steps, step)
	}
	return steps
}

// replayable are the schedules of the failures of a test.
func (r *Result) replayable(plan Plan) (list []Replayable) {
	failures := r.More
	if r.Failure != nil {
		failures = append([]*Failure{r.Failure}, failures...)
	}
	for _, f := range failures {
		if f.Schedule == nil || f.Schedule.log == nil {
			continue
		}
		x := Replayable{Schedule: report.Schedule{Test: r.Test, Steps: f.Schedule.steps()}}
		for _, found := range report.Parse(f.Output) {
			x.Found = append(x.Found, found.Fingerprint())
		}
		if len(x.Schedule.Steps) == 0 {
			continue
		}
		if len(x.Found) == 0 {
			x.Package, x.Why = plan.Package, f.why(r.Test)
			x.Output = string(f.body(r.Test))
		}
		if f.Again && plan.Replay == "" {
			x.Schedule.Replay = f.replay(r.Test, plan)
		}
		list = append(list, x)
	}
	return list
}

// endings are lines by which the runtime says why it ends a program.
var endings = regexp.MustCompile(`(?m)^(?:panic|fatal error): .*`)

// why says in a line why a test fails: how its process has ended, or what it has said first.
func (f *Failure) why(test string) string {
	body := f.body(test)
	if end := endings.Find(body); end != nil {
		return strings.TrimSpace(string(end))
	}
	if f.Killed {
		return "it takes too long"
	}
	for line := range bytes.Lines(body) {
		if said, ok := bytes.CutPrefix(line, []byte("    ")); ok && len(bytes.TrimSpace(said)) > 0 {
			return string(bytes.TrimSpace(said))
		}
	}
	return "it fails"
}

// tellReplayable writes schedules for the reports of the run, to a file of its own.
func tellReplayable(dir string, list []Replayable) error {
	if len(list) == 0 {
		return nil
	}
	f, err := os.CreateTemp(dir, "replayable-")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(f).Encode(list); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// ReadReplayable reads the schedules that the test binaries have written to a folder.
func ReadReplayable(dir string) (list []Replayable, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "replayable-*"))
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var some []Replayable
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, some...)
	}
	return list, nil
}

// Attach gives each finding the schedules by which it is found again, one for each test. It returns
// the failures without a finding, one for each test and reason.
func Attach(findings []*report.Finding, list []Replayable) (failures []report.Failure) {
	of := make(map[string][]report.Schedule)
	for _, x := range list {
		if len(x.Found) == 0 && !slices.ContainsFunc(failures, func(f report.Failure) bool {
			return f.Package == x.Package && f.Schedule.Test == x.Schedule.Test && f.Why == x.Why
		}) {
			failures = append(failures, report.Failure{Package: x.Package, Why: x.Why,
				Output: x.Output, Schedule: x.Schedule})
		}
		for _, print := range x.Found {
			if !slices.ContainsFunc(of[print], func(s report.Schedule) bool {
				return s.Test == x.Schedule.Test
			}) {
				of[print] = append(of[print], x.Schedule)
			}
		}
	}
	for _, f := range findings {
		f.Schedules = append(f.Schedules, of[f.Fingerprint()]...)
	}
	return failures
}
