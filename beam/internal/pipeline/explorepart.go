// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/explore"
)

// A part is what became of a task.
type part struct {
	Task     task
	Error    string // why it could not be done, "" if it was
	Cover    string // the text of the file
	Failures []failure
}

// A failure is one that a test has in a part.
type failure struct {
	Test   string
	Key    string // in what way it has failed
	Run    int    // of the part
	Output string // the report, with the line for -replay
}

// attempt makes the runs of a task. It returns an error if another attempt may do better: if the
// command ends in another way than by passing or failing tests. A package that does not build is
// no such error, as it would not build the next time.
func (o *ExploreOptions) attempt(ctx context.Context, t task) (*part, error) {
	dir, err := os.MkdirTemp("", "commute-explored-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cover := filepath.Join(dir, "cover")
	args := append([]string{"test", "-explore=" + o.Explore,
		fmt.Sprintf("-explore_shard=%d/%d", t.Shard.Index, t.Shard.Of), "-explore_cover=" + cover,
		"-json", "-p=1"}, o.Flags...)
	cmd := exec.CommandContext(ctx, o.Commute, append(args, t.Package)...)
	cmd.Dir = o.Dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	runErr := cmd.Run()
	said := strings.TrimSpace(stderr.String())
	p := &part{Task: t}
	r, err := readEvents(stdout.Bytes())
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w\n%s", t.Package, cmp.Or(runErr, err), said)
	case r.unbuilt != "":
		p.Error = fmt.Sprintf("%s does not build:\n%s", t.Package, strings.TrimSpace(r.unbuilt))
		return p, nil
	case r.ended == "skip": // it has no tests
		return p, nil
	case r.ended == "pass" != (runErr == nil), r.ended != "pass" && len(r.failures) == 0:
		return nil, fmt.Errorf("%s: %w\n%s", t.Package,
			cmp.Or(runErr, errors.New("it ended with "+cmp.Or(r.ended, "no result"))),
			strings.TrimSpace(r.text+"\n"+said))
	}
	p.Failures = r.failures
	c, err := explore.ReadCover(cover)
	if err != nil {
		return nil, err
	}
	p.Cover = string(c.Format())
	return p, nil
}

// testResults are what the events of a package's tests say.
type testResults struct {
	ended    string // pass, fail or skip; "" if the package has not ended
	unbuilt  string // what the compiler says
	text     string // of no test
	failures []failure
}

// readEvents reads what go test -json writes of one package.
func readEvents(out []byte) (r testResults, err error) {
	var order []string
	outputs, failed := make(map[string]string), make(map[string]bool)
	build, failedBuild := "", false
	d := json.NewDecoder(bytes.NewReader(out))
	for d.More() {
		var e struct{ Action, Test, Output, FailedBuild string }
		if err := d.Decode(&e); err != nil {
			return r, fmt.Errorf("what it writes is not as -json has it: %w", err)
		}
		test, _, _ := strings.Cut(e.Test, "/")
		switch e.Action {
		case "build-output":
			build += e.Output
		case "output":
			if test == "" {
				r.text += e.Output
			}
			outputs[test] += e.Output
		case "pass", "fail", "skip":
			if e.Test == "" {
				r.ended, failedBuild = e.Action, failedBuild || e.FailedBuild != ""
			} else if e.Action == "fail" && !failed[test] {
				failed[test] = true
				order = append(order, test)
			}
		}
	}
	if failedBuild {
		r.unbuilt = build + r.text
	}
	for _, test := range order {
		r.failures = append(r.failures, failuresIn(test, outputs[test])...)
	}
	return r, nil
}

// failuresIn are the failures that a report of commute test -explore tells of a test: one, or with
// -explore_all several, each after a line with its run.
func failuresIn(test, output string) (list []failure) {
	_, report, _ := strings.Cut(output, "--- FAIL: "+test+" (")
	head, report, _ := strings.Cut(report, "\n")
	var run int
	if n, _ := fmt.Sscanf(head, "explored: run %d", &run); n == 1 || !strings.Contains(head,
		" different failures in ") {
		return []failure{failureOf(test, run, report)}
	}
	text := ""
	for line := range strings.Lines(report) {
		var next int
		if n, _ := fmt.Sscanf(line, "    run %d:\n", &next); n == 1 && line == fmt.Sprintf(
			"    run %d:\n", next) {
			if run > 0 {
				list = append(list, failureOf(test, run, text))
			}
			run, text = next, ""
			continue
		}
		text += strings.TrimPrefix(line, "    ")
	}
	return append(list, failureOf(test, run, text))
}

// failureOf is a failure of which the report is indented.
func failureOf(test string, run int, report string) failure {
	f := failure{Test: test, Run: run}
	said, whole := "--- FAIL: "+test+" (0.00s)\n", false
	for line := range strings.Lines(report) {
		line = strings.TrimPrefix(line, "    ")
		f.Output += line
		if whole = whole || strings.HasPrefix(line, "schedule: ") ||
			strings.HasPrefix(line, "replay: "); !whole {
			said += line
		}
	}
	f.Key = explore.Key(test, []byte(said))
	return f
}
