// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/pages"
)

// programs is the module of the programs that the pages show. It is copied, for some commands write
// files.
const programs = "testdata/docs"

// TestSamples runs the commands whose output README.md and docs show, and compares it with what
// they show, but for addresses, the numbers of goroutines, and times. With -update, it writes what
// differs into the pages.
func TestSamples(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	all, err := pages.All(root)
	if err != nil {
		t.Fatal(err)
	}
	s := &shell{sh: sh, root: root, tool: commute(t), outputs: make(map[string]string)}
	s.copy = t.TempDir()
	if err := os.CopyFS(s.copy, os.DirFS(filepath.Join(root, programs))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range all {
		samples, err := p.Samples()
		if err != nil {
			t.Fatal(err)
		}
		n += len(samples)
		for _, sample := range slices.Backward(samples) { // an update moves what follows
			t.Run(sample.Place(), func(t *testing.T) { s.check(t, sample) })
		}
		if *update {
			file := filepath.Join(root, filepath.FromSlash(p.Name))
			text := strings.Join(p.Lines, "\n")
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n < 25 {
		t.Errorf("%d samples", n)
	}
}

// A shell runs the commands of samples.
type shell struct {
	sh, root, copy, tool string
	outputs              map[string]string // by folder and command
}

// attempts is how often a command may be run until it prints what a page shows. On one processor
// goroutines mostly run in one order; but the engine holds some up at random, and then they run in
// another, and another order is another report. The first report of docs/annotate.md is in one run
// of five.
const attempts = 40

// check compares a sample with what its command prints.
func (s *shell) check(t *testing.T, sample *pages.Sample) {
	if slices.Contains(sample.Edits, pages.Long) {
		longtest.Need(t, "builds programs")
	} else {
		longtest.Same(t)
	}
	if runtime.GOOS == "windows" {
		t.Skip("paths have other slashes")
	}
	commands, shown := split(sample)
	if said := strings.Join(commands, "; "); len(commands) > 0 && said != sample.Command {
		t.Errorf("%s shows the command %s, and has run %s", sample.Place(), said, sample.Command)
	}
	var got string
	for try := range attempts {
		out, err := pages.Edit(s.output(t, sample, try > 0), sample.Edits)
		if err != nil {
			t.Fatalf("%s: %v", sample.Place(), err)
		}
		got = out
		if normalised(got, sample.Edits) == normalised(pages.Unfold(shown), sample.Edits) {
			return
		}
	}
	if *update {
		keep := sample.Page.Lines[sample.Begin:][:len(commands)]
		now := strings.Split(strings.Trim(pages.Fold(got), "\n"), "\n")
		sample.Page.Lines = slices.Concat(sample.Page.Lines[:sample.Begin], keep, now,
			sample.Page.Lines[sample.End:])
		return
	}
	t.Errorf("%s differs from what %s prints (run go test ./internal/verdict -run Samples -update "+
		"if it should):\n%s", sample.Place(), sample.Command, got)
}

// split splits a sample into the commands that it shows, if it does, and the output.
func split(sample *pages.Sample) (commands []string, output string) {
	lines := strings.SplitAfter(sample.Text(), "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "$ ") {
		commands = append(commands, strings.TrimSpace(lines[0][2:]))
		lines = lines[1:]
	}
	return commands, strings.Join(lines, "")
}

// output is what a command prints, on both outputs, with paths from the top of the module.
func (s *shell) output(t *testing.T, sample *pages.Sample, again bool) string {
	key := sample.Dir + "$ " + sample.Command
	if out, ok := s.outputs[key]; ok && !again {
		return out
	}
	dir := filepath.Join(s.root, filepath.FromSlash(sample.Dir))
	top := s.root
	if rest, ok := strings.CutPrefix(sample.Dir, programs); ok {
		dir, top = filepath.Join(s.copy, filepath.FromSlash(rest)), s.copy
	}
	cmd := exec.Command(s.sh, "-c", "exec 2>&1\n"+sample.Command)
	cmd.Dir = dir
	path := filepath.Dir(s.tool) + string(filepath.ListSeparator) + os.Getenv("PATH")
	cmd.Env = append(os.Environ(), "PATH="+path, "PWD="+dir, "COMMUTE=", "GOMAXPROCS=1",
		"GOFLAGS=", "LC_ALL=C")
	out, err := cmd.Output()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatalf("%s: %v", sample.Command, err)
	}
	text := strings.ReplaceAll(string(out), top+string(filepath.Separator), "")
	s.outputs[key] = text
	return text
}

var (
	number  = regexp.MustCompile(`\d+`)
	seconds = regexp.MustCompile(`\b\d+\.\d+s\b`)
	pointer = regexp.MustCompile(`\b0x[0-9a-f]{6,}\b`)
)

// normalised is output without what is another in each run. Addresses may have fewer digits than
// those that normal looks for.
func normalised(s string, edits []string) string {
	s = pointer.ReplaceAllStringFunc(s, func(p string) string {
		return "0x" + strings.Repeat("0", max(0, 18-len(p))) + p[2:]
	})
	s = seconds.ReplaceAllString(normal(s), "0.00s")
	if slices.Contains(edits, pages.Numbers) {
		s = number.ReplaceAllString(s, "n")
	}
	return strings.Trim(s, "\n")
}

// TestNormalised has what differs from run to run, and what does not.
func TestNormalised(t *testing.T) {
	const one = "  goroutine 9           goroutine 10\nat 0x2be921d14260 and 0x2be921d14268 " +
		"0.004s\n"
	const two = "  goroutine 11      goroutine 7\nat 0x3ac30400a48 and 0xc000012340 12.1s\n\n"
	const three = "  goroutine 11      goroutine 7\nat 0x3ac30400a48 and 0x3ac30400a48 12.1s\n"
	if a, b := normalised(one, nil), normalised(two, nil); a != b {
		t.Errorf("%s\nand\n%s", a, b)
	}
	if a, b := normalised(one, nil), normalised(three, nil); a == b {
		t.Errorf("two addresses, or one: %s", a)
	}
	if a, b := normalised("events 7, 81", []string{pages.Numbers}), "events n, n"; a != b {
		t.Errorf("%s", a)
	}
}
