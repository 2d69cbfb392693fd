// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// The store is embedded, so that an installed commute can build it.
//
//go:embed mvstore/*.go
var storeSources embed.FS

// A build is a way to compile the store and to run it.
type build struct {
	title   string
	command []string
	env     []string // of a run
	traces  string   // folder of what it records, which is emptied after each run
	binary  string
	missing string // why there is none
}

// The builds, in the columns' order.
const (
	plain = iota
	raceDetector
	dataRace
	calls
	recorded
	builds
)

// compileStore writes the store's sources to a folder, and builds it in each way. A build that
// needs a C compiler, or another platform, may be missing.
func (o *Options) compileStore(dir string) ([]*build, error) {
	if err := writeStore(dir); err != nil {
		return nil, err
	}
	goCommand, err := exec.LookPath("go")
	if err != nil {
		return nil, errors.New("table rd2 builds a program, and the go command is not on PATH: " +
			"install it, or choose others with -table")
	}
	traces := filepath.Join(dir, "traces")
	list := []*build{
		plain: {title: "plain", command: []string{goCommand, "build"}},
		raceDetector: {title: "-race", command: []string{goCommand, "build", "-race"},
			env: []string{"GORACE=exitcode=0 atexit_sleep_ms=0"}},
		dataRace: {title: "-datarace", command: []string{o.Commute, "build", "-datarace"},
			env: []string{"COMMUTE=exitcode=0 atexit_sleep_ms=0 level=races"}},
		calls: {title: "commute", command: []string{o.Commute, "build"},
			env: []string{"COMMUTE=exitcode=0"}},
	}
	for i, b := range list {
		b.binary = filepath.Join(dir, fmt.Sprintf("store%d%s", i, exe()))
		cmd := exec.CommandContext(o.ctx, b.command[0],
			append(b.command[1:], "-o", b.binary, ".")...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GO111MODULE=on")
		out, err := cmd.CombinedOutput()
		if err == nil {
			continue
		}
		if i == plain || i == calls || o.ctx.Err() != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(b.command, " "), err, out)
		}
		b.binary, b.missing = "", reason(out, err)
	}
	again := *list[dataRace]
	again.title, again.traces = "recorded", traces
	again.env = []string{again.env[0] + " trace=" + traces}
	if strings.Contains(traces, " ") {
		again.binary, again.missing = "",
			"the path of the folder for temporary files has a space in it"
	}
	return append(list, &again), nil
}

// writeStore makes the store a module of its own.
func writeStore(dir string) error {
	files, err := fs.Glob(storeSources, "mvstore/*.go")
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := storeSources.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, path.Base(name)), text, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module mvstore\n\ngo 1.26.0\n"), 0o666)
}

// reason is the last line of a failed command's output.
func reason(out []byte, err error) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

func exe() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// A sample has the output of one run of the store, and the findings in it.
type sample struct {
	Circuit     string
	Clients     int
	Operations  uint64
	Nanoseconds int64
	Lost        int
	Again       uint64

	findings findings
	timeout  bool
}

// runStore runs a circuit.
func (o *Options) runStore(b *build, circuit string) (s sample, err error) {
	if b.traces != "" {
		if err := os.MkdirAll(b.traces, 0o777); err != nil {
			return s, err
		}
		defer os.RemoveAll(b.traces)
	}
	ctx, cancel := context.WithTimeout(o.ctx, o.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.binary, "-circuit", circuit, "-operations",
		fmt.Sprint(o.Operations))
	cmd.Env = append(os.Environ(), append([]string{"COMMUTE=", "GORACE="}, b.env...)...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	if o.ctx.Err() != nil {
		return s, o.ctx.Err()
	}
	if ctx.Err() != nil {
		return sample{Circuit: circuit, timeout: true}, nil
	}
	if err != nil {
		return s, fmt.Errorf("%s: %s: %w\n%s", b.title, circuit, err, stderr.Bytes())
	}
	if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
		return s, fmt.Errorf("%s: %s: %w\n%s", b.title, circuit, err, stdout.Bytes())
	}
	s.findings = parseFindings(stderr.String())
	return s, nil
}

// circuits are the store's, as samples without figures.
func (o *Options) circuits(b *build) (list []sample, err error) {
	out, err := exec.Command(b.binary, "-list").Output()
	if err != nil {
		return nil, fmt.Errorf("%s -list: %w", b.binary, err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var s sample
		if err := d.Decode(&s); err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// findings are in the output of watched programs, at its end.
type findings struct {
	dataRaces int            // that were reported
	pairs     map[pair]int   // how often
	objects   map[string]int // by declaration
}

// A pair is two calls that race, or a check and act and the call between them.
type pair struct{ object, calls, effect string }

var (
	dataRaceLine = regexp.MustCompile(`(?m)^(?:Found|commute: found) (\d+) data race(?:\(s\)|s?)$`)
	objectLine   = regexp.MustCompile(`^  (\S.*?) \(.*\)$`)
	pairLine     = regexp.MustCompile(`^    (.*): ([a-z -]+)(?:, (?:observed|predicted))?` +
		`, (\d+) times?$`)
)

// parseFindings reads the summary that a watched program, or one with the race detector, writes at
// its end.
func parseFindings(text string) findings {
	f := findings{pairs: make(map[pair]int), objects: make(map[string]int)}
	if m := dataRaceLine.FindStringSubmatch(text); m != nil {
		f.dataRaces, _ = strconv.Atoi(m[1])
	}
	_, text, _ = strings.Cut(text, "\ncommute: found ")
	object := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := objectLine.FindStringSubmatch(line); m != nil {
			object = m[1]
		} else if m := pairLine.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[3])
			f.pairs[pair{object, m[1], m[2]}] += n
			f.objects[object] += n
		}
	}
	return f
}

// add counts those of another run.
func (f *findings) add(g findings) {
	if f.pairs == nil {
		f.pairs, f.objects = make(map[pair]int), make(map[string]int)
	}
	f.dataRaces += g.dataRaces
	for p, n := range g.pairs {
		f.pairs[p] += n
	}
	for o, n := range g.objects {
		f.objects[o] += n
	}
}

// total is how often there were races of calls.
func (f *findings) total() (n int) {
	for _, m := range f.objects {
		n += m
	}
	return n
}
