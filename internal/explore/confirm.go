// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// With -confirm, the go command has this program run each test binary. It holds the output back. If
// that has reports of what has not been observed, the program explores the tests that had them, by
// a call of commute test -explore for that package, and puts the reports of what was observed then
// in their place.

// ConfirmWord is the first argument of the program that the go command runs in place of test
// binaries, with -confirm. ConfirmVariable is the environment variable with its plan, a
// [Confirmation] in JSON, and requestVariable the one with the place of the [request] of the call
// that explores.
const (
	ConfirmWord     = "confirm-exec"
	ConfirmVariable = "COMMUTE_CONFIRM_PLAN"
	requestVariable = "COMMUTE_CONFIRM_REQUEST"
)

// A Confirmation says how to confirm findings.
type Confirmation struct {
	Command []string // of commute test -explore, with all flags but -run, without packages
	Dir     string   // where it runs
	After   []string // its arguments after the packages
}

// A request is what is to be observed. The call that explores writes the answers to the file, in
// place of it.
type request struct {
	Want    []Report
	Tests   [][]string // that may have had each
	Answers []answer   // for each
}

// An answer is what has become of a finding.
type answer struct {
	Test string // by which it was observed, "" if it was not
	Seed string
	Text []byte // of the report
	Runs int    // that were made
}

// Confirm runs a test binary with the given command line, and writes its output, in which confirmed
// reports replace the first ones. It returns the exit code of the program; -1 says that a signal
// has ended it.
func Confirm(line []string, out io.Writer) (int, error) {
	var c Confirmation
	if err := json.Unmarshal([]byte(os.Getenv(ConfirmVariable)), &c); err != nil {
		return 0, fmt.Errorf("%s is no plan: %w", ConfirmVariable, err)
	}
	os.Unsetenv(ConfirmVariable)
	b, err := ParseBinary(line)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Stdin = os.Stdin
	text, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	if want := unconfirmed(Reports(text)); len(want) > 0 {
		text = c.confirm(&b, text, want)
	}
	_, err = out.Write(text)
	return cmd.ProcessState.ExitCode(), err
}

// confirm returns the output with each finding that is wanted as it was observed, or with a line
// that says that it was not.
func (c *Confirmation) confirm(b *Binary, out []byte, want []Report) []byte {
	r := request{Want: want}
	pkg, err := c.explore(b, &r, out)
	var all []byte
	at := 0
	list := Reports(out)
	for _, report := range list {
		i := slices.IndexFunc(want, report.same)
		if i < 0 || report.Evidence == observed {
			continue
		}
		end := report.Start + len(report.Text)
		all = append(all, out[at:report.Start]...)
		at = end
		switch {
		case report.Start != want[i].Start && err == nil && r.Answers[i].Test != "":
			continue // it is shown as observed already
		case err != nil:
			all = append(all, report.Text...)
			all = fmt.Appendf(all, "not confirmed: %s\n", firstLine(err.Error()))
		case r.Answers[i].Test == "":
			all = append(all, report.Text...)
			all = fmt.Appendf(all, "not confirmed in %s\n", count(r.Answers[i].Runs, "run"))
		default:
			a := r.Answers[i]
			all = append(all, a.Text...)
			all = fmt.Appendf(all, "replay: commute test -replay=%s -run '^%s$' %s\n", a.Seed, a.Test,
				pkg)
		}
	}
	return append(all, out[at:]...)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// explore has the tests explored that may have had what is wanted, and reads the answers. It
// returns the path of the package.
func (c *Confirmation) explore(b *Binary, r *request, out []byte) (pkg string, err error) {
	info, err := buildinfo.ReadFile(b.Path)
	if err != nil {
		return "", err
	}
	pkg = strings.TrimSuffix(info.Path, ".test")
	tests, err := b.Tests()
	if err != nil {
		return pkg, err
	}
	var run []string
	for _, w := range r.Want {
		some := suspects(w, out, tests)
		r.Tests = append(r.Tests, some)
		run = append(run, some...)
	}
	if len(run) == 0 {
		return pkg, errors.New("it is not known which test had it")
	}
	slices.Sort(run)
	run = slices.Compact(run)
	dir, err := os.MkdirTemp("", "commute-confirm-")
	if err != nil {
		return pkg, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "request")
	if err := r.write(path); err != nil {
		return pkg, err
	}
	_, rest := splitPattern(b.Run)
	args := slices.Concat(c.Command[1:], []string{"-run=^(" + strings.Join(run, "|") + ")$" + rest,
		pkg}, c.After)
	cmd := exec.Command(c.Command[0], args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), requestVariable+"="+path)
	said, err := cmd.CombinedOutput()
	if e := r.read(path); e != nil {
		return pkg, e
	}
	if len(r.Answers) != len(r.Want) {
		return pkg, fmt.Errorf("exploring it has failed: %s", bytes.TrimSpace(said))
	}
	return pkg, nil
}

// isTest finds the names of test functions in stacks.
var isTest = regexp.MustCompile(`\.(Test\w*)[.(]`)

// hasFailed finds those that have failed, at the top.
var hasFailed = regexp.MustCompile(`(?m)^\x16?--- FAIL: (Test[^ /]*) \(`)

// mostSuspects is how many tests are explored for a finding that no stack tells the test of.
const mostSuspects = 8

// suspects are the tests that may have had a finding: those that its stacks name, or else those
// that have failed, or else the first ones.
func suspects(r Report, out []byte, tests []string) (some []string) {
	for _, source := range []struct {
		re   *regexp.Regexp
		text []byte
	}{{isTest, r.Text}, {hasFailed, out}} {
		for _, m := range source.re.FindAllSubmatch(source.text, -1) {
			name := string(m[1])
			if slices.Contains(tests, name) && !slices.Contains(some, name) {
				some = append(some, name)
			}
		}
		if len(some) > 0 {
			return some
		}
	}
	return tests[:min(len(tests), mostSuspects)]
}

func (r *request) write(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func (r *request) read(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, r)
}

// answerRequest explores tests for what a request wants, and writes the answers.
func answerRequest(b *Binary, plan Plan, tests []string, path string) error {
	var r request
	if err := r.read(path); err != nil {
		return err
	}
	answers := make([]answer, len(r.Want))
	keeps := newRecorder(b, plan.Package)
	for _, test := range tests {
		l := look{binary: b, plan: plan, test: test}
		var index []int
		for i, w := range r.Want {
			if answers[i].Test == "" && slices.Contains(r.Tests[i], test) {
				l.want = append(l.want, w)
				index = append(index, i)
			}
		}
		if len(index) == 0 {
			continue
		}
		if err := l.observe(); err != nil {
			return err
		}
		for k, i := range index {
			answers[i].Runs += l.runs
			if w := l.found[k]; w != nil {
				answers[i] = answer{test, w.Seed.String(), w.Text, answers[i].Runs}
				if err := l.remember(w, l.want[k], keeps); err != nil {
					return err
				}
			}
		}
	}
	r.Answers = answers
	return r.write(path)
}
