// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/commutego/commute/internal/format"
	"github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/internal/option"
	"github.com/commutego/commute/internal/silence"
	"github.com/commutego/commute/internal/suggest"
	"github.com/commutego/commute/internal/toolchain/golist"
	"github.com/commutego/commute/internal/toolchain/toolexec"
	"github.com/commutego/commute/report"
)

const vetUsage = `usage: commute vet [flags] [packages]

Runs go vet with commute as its tool: mistakes in comments, or with -splitlock, -checkact and
-reduction bugs that the source shows. The flags of go vet that say which packages are built, as
-tags and -C, are taken, too. The flags of the analyzers are listed below.

`

const vetEnd = `
The exit code is 0 if nothing is found, 1 if something is or a package doesn't build, and 2 if the
command line is wrong.
`

func vetHelp() string { return vetUsage + option.FlagHelp(nil, "commute vet", option.Vet) + vetEnd }

// A vetRun is a run of go vet whose findings are read.
type vetRun struct {
	outputs []format.Output
	known   *silence.File // what is not reported; may be nil
	now     time.Time
}

// vetPackages is commute vet.
func vetPackages(args []string, _ toolexec.Config) int {
	v := &vetRun{now: time.Now()}
	rest, err := v.takeFlags(args)
	if err != nil {
		return misused("vet: %v", err)
	}
	findings, code, err := v.run(rest, os.Stderr)
	if err != nil {
		return fail(err)
	}
	for _, f := range findings {
		fmt.Fprint(os.Stderr, vetText(f))
		code = max(code, 1)
	}
	if err := writeReports(v.outputs, findings, nil); err != nil {
		return fail(err)
	}
	return code
}

// takeFlags takes the flags out of a command line that go vet doesn't have.
func (v *vetRun) takeFlags(args []string) (rest []string, err error) {
	for len(args) > 0 {
		name, value, hasValue := cutFlag(args[0])
		own := name == "report" || name == "suppressions"
		switch {
		case own && !hasValue && len(args) > 1:
			value, args = args[1], args[1:]
		case !own:
			if slices.Contains([]string{"json", "fix", "diff", "vettool"}, name) {
				return nil, fmt.Errorf("-%s is for go vet -vettool=$(which commute): here findings "+
					"are printed, or written by -report (commute fix mends)", name)
			}
			if near := misspelt(name, "commute vet", option.Vet); near != "" {
				return nil, fmt.Errorf("unknown flag -%s (did you mean -%s?)", name, near)
			}
			rest = append(rest, args[0])
		}
		args = args[1:]
		switch name {
		case "report":
			o, err := format.Parse(value)
			if err != nil {
				return nil, err
			}
			v.outputs = append(v.outputs, o)
		case "suppressions":
			if v.known, err = readSilence(value); err != nil {
				return nil, fmt.Errorf("-suppressions: %w (see docs/options.md)", err)
			}
		}
	}
	return rest, nil
}

// misspelt is the flag of some commands, or of the go command, that name is a misspelling of.
func misspelt(name string, commands ...string) string {
	known := golist.Flags()
	for _, command := range commands {
		for _, f := range option.FlagsOf(command) {
			known = append(known, f.Name)
		}
	}
	if slices.Contains(known, name) {
		return ""
	}
	return suggest.Typo(name, known)
}

// run runs go vet, and returns what is found and is not to be silent, each once: packages are
// vetted with their tests, and without. Code is 1 if go vet failed otherwise; it has said why to
// stderr. Code is 2 if that is the command line.
func (v *vetRun) run(args []string, stderr io.Writer) (
	findings []*report.Finding, code int, err error,
) {
	self, err := os.Executable()
	if err != nil {
		return nil, 0, err
	}
	var chdir []string
	if n := chdirArgs(args); n > 0 {
		chdir, args = args[:n], args[n:]
	}
	cmd := exec.Command("go", slices.Concat([]string{"vet"}, chdir,
		[]string{"-json", "-vettool=" + self}, args)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = vetCode(exit)
	} else if err != nil {
		return nil, 0, err
	}
	list, err := readVet(&out)
	if err != nil {
		return nil, 0, err
	}
	seen := make(map[string]bool)
	for _, f := range list {
		key := f.Where + f.Headline
		if !seen[key] && (v.known == nil || len(v.known.Match(v.now, silence.Texts(f))) == 0) {
			findings = append(findings, f)
		}
		seen[key] = true
	}
	slices.SortStableFunc(findings, func(a, b *report.Finding) int {
		p, q := location.Split(a.Where), location.Split(b.Where)
		return cmp.Or(strings.Compare(p.File, q.File), p.Line-q.Line, p.Col-q.Col)
	})
	return findings, code, nil
}

// vetCode is the exit code for a go vet that has failed: only that for a wrong call is kept.
func vetCode(exit *exec.ExitError) int {
	if exit.ExitCode() == toolexec.ExitUsage {
		return toolexec.ExitUsage
	}
	return 1
}

// readVet reads what go vet -json prints: an object for each package, in which comments begin with
// a #.
func readVet(out io.Reader) (findings []*report.Finding, err error) {
	text, err := io.ReadAll(out)
	if err != nil {
		return nil, err
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	d := json.NewDecoder(strings.NewReader(strings.Join(lines, "")))
	for {
		var packages map[string]map[string]json.RawMessage
		switch err := d.Decode(&packages); {
		case errors.Is(err, io.EOF):
			return findings, nil
		case err != nil:
			return nil, fmt.Errorf("what go vet -json printed can't be read: %w", err)
		}
		for id, analyzers := range packages {
			for name, raw := range analyzers {
				var failed jsonError
				if json.Unmarshal(raw, &failed) == nil && failed.Err != "" {
					return nil, fmt.Errorf("%s: analyzer %s: %s", id, name, failed.Err)
				}
				var list []jsonDiagnostic
				if err := json.Unmarshal(raw, &list); err != nil {
					return nil, fmt.Errorf("%s: what analyzer %s found can't be read: %w", id, name,
						err)
				}
				for i := range list {
					findings = append(findings, vetFinding(id, name, &list[i]))
				}
			}
		}
	}
}

// vetFinding is a diagnostic as a finding. Related positions are steps.
func vetFinding(id, analyzer string, d *jsonDiagnostic) *report.Finding {
	f := &report.Finding{Kind: report.StaticFinding, Check: analyzer, Evidence: report.Static,
		Where: d.Posn, At: report.Event{Op: "static", At: d.Posn, Did: d.Message}}
	f.Package, _, _ = strings.Cut(id, " ") // "p [p.test]"
	f.Headline, f.Times = d.Message, 1
	f.Page = d.Category
	for _, r := range d.Related {
		f.Steps = append(f.Steps, report.Step{At: r.Posn, Does: r.Message})
	}
	for _, fix := range d.SuggestedFixes {
		x := report.Fix{Message: fix.Message}
		for _, e := range fix.Edits {
			x.Edits = append(x.Edits, report.Edit{File: e.Filename, Start: e.Start, End: e.End,
				New: e.New})
		}
		f.Fixes = append(f.Fixes, x)
	}
	if len(f.Fixes) > 0 {
		f.Mend = f.Fixes[0].Message + " (commute fix)"
	}
	return f
}

// vetText is a finding as go vet prints it.
func vetText(f *report.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", shortPlace(f.Where), f.Headline)
	for _, s := range f.Steps {
		fmt.Fprintf(&b, "%s: \t%s\n", shortPlace(s.At), s.Does)
	}
	return b.String()
}

// shortPlace is a place with the path of its file from the working directory on, if that is below.
func shortPlace(at string) string {
	file, rest, ok := strings.Cut(at, ":")
	if !ok {
		return at
	}
	return relative(file) + ":" + rest
}
