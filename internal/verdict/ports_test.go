// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/toolchain/target"
)

var (
	portsFlag = flag.String("ports", "", "run modules on these `ports`, separated by spaces")
	portsAll  = flag.Bool("ports.all", false, "run all modules on the ports, in more ways")
)

// A port is a platform for which programs are built here, and run.
type port struct {
	name   string
	exec   string   // the program that runs those for it, with its arguments
	procs  []string // values of GOMAXPROCS
	memory bool     // Go's compiler has -race there
}

// ports are those that can be run on linux/amd64 with Debian's packages; .ci/ports installs them.
var ports = []port{
	{name: "linux/386", procs: []string{"1", "2", "8"}},
	{name: "linux/arm64", exec: "qemu-aarch64 -cpu max", procs: []string{"1", "2", "8"},
		memory: true},
	{name: "js/wasm", exec: wasmExec, procs: []string{"1"}},
}

// wasmExec stands for what Go brings along to run a program of js/wasm by node.
const wasmExec = "go_js_wasm_exec"

// env is what the go command needs to build for p. No port needs a C compiler.
func (p port) env() []string {
	goos, goarch, _ := strings.Cut(p.name, "/")
	return []string{"GOOS=" + goos, "GOARCH=" + goarch, "CGO_ENABLED=0"}
}

// small has tests that import net/http left out: it takes as long to compile as all else that is
// imported, and what it does to be ordered it does by what it imports.
const small = "-tags=small"

// portModules are run on each port; all others with -ports.all.
var portModules = []string{"edges", "checkacts", "dataraces"}

// TestPorts runs the modules on ports other than this one: what runs is the same as in TestCommute,
// TestViolationsLevel, TestAttribution and TestEndings, but for what the port hasn't got.
func TestPorts(t *testing.T) {
	if *portsFlag == "" {
		t.Skip("without -ports")
	}
	tool := commute(t)
	for name := range strings.FieldsSeq(*portsFlag) {
		i := slices.IndexFunc(ports, func(p port) bool { return p.name == name })
		if i < 0 {
			t.Fatalf("-ports: %s cannot be run here", name)
		}
		p := ports[i]
		if p.exec == wasmExec {
			root, err := exec.Command("go", "env", "GOROOT").Output()
			if err != nil {
				t.Fatalf("go env GOROOT: %v", err)
			}
			p.exec = filepath.Join(strings.TrimSpace(string(root)), "lib/wasm", wasmExec)
		}
		t.Run(strings.ReplaceAll(name, "/", "-"), func(t *testing.T) {
			t.Parallel()
			onPort(t, tool, p)
		})
	}
}

func onPort(t *testing.T, tool string, p port) {
	for _, m := range modules {
		if !*portsAll && !slices.Contains(portModules, m.name) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			if m.memory && !p.memory {
				t.Skip("Go's compiler has no -race here, so accesses to memory are not watched")
			}
			flags := m.flags
			if m.name == "dataraces" && !*portsAll {
				flags = append(slices.Clip(flags), small)
			}
			b := buildFor(t, p, tool, m.name, flags...)
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			if m.name == "dataraces" {
				t.Run("Reports", func(t *testing.T) { reports(t, b) })
			}
			names = without(names, m.but)
			env := append(slices.Clip(b.Env), atLevel(m.level)...)
			b.Runs = 1
			all := p.procs
			if !*portsAll {
				all = all[len(all)-1:] // under qemu, up to a minute each
			}
			for _, procs := range all {
				b.Env = append(slices.Clip(env), "GOMAXPROCS="+procs)
				t.Run("Together"+procs, func(t *testing.T) { judge(t, b, names, m.floor) })
			}
			if m.name == "checkacts" {
				t.Run("Violations", func(t *testing.T) { violations(t, b) })
			}
			if *portsAll {
				b.Alone, b.Env = true, env
				t.Run("Alone", func(t *testing.T) { judge(t, b, names, m.floor) })
			}
		})
	}
	t.Run("attribution", func(t *testing.T) { attributed(t, buildFor(t, p, tool, "attribution")) })
	for _, e := range endings {
		t.Run("ending-"+e.name, func(t *testing.T) { e.check(t, tool, p) })
	}
	t.Run("explored", func(t *testing.T) { explored(t, tool, p) })
	if !p.memory {
		t.Run("refused", func(t *testing.T) { refused(t, tool, p) })
	}
}

// exploredOften are the wrong programs of testdata/explore that are explored without -ports.all.
const exploredOften = "LostUpdate|SyncMap|Cond|Overdraft|SleepOrder|LockOrder|SendClosed|Number"

// explored explores the schedules of programs: those that are wrong fail, and no other.
func explored(t *testing.T, tool string, p port) {
	controlled := p.platform().Explores()
	silent := filepath.Join(t.TempDir(), "silent")
	if err := os.WriteFile(silent, []byte("*\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	runs := "64"
	if !controlled { // each is a process, and some programs go wrong in the first
		if runs = "4"; *portsAll {
			runs = "8"
		}
	}
	args := []string{"test", "-explore=" + runs, "-suppressions=" + silent}
	if p.exec != "" {
		args = append(args, "-exec", p.exec)
	}
	if !*portsAll {
		args = append(args, small, "-run", exploredOften)
	}
	if !controlled {
		args = append(args, "-timeout=10s") // there, nothing else ends a deadlock
	}
	cmd := exec.Command(tool, append(args, ".")...)
	cmd.Dir, cmd.Env = "../../testdata/explore", append(os.Environ(), p.env()...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatalf("%v\n%s", err, out)
	}
	failed := 0
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(line, "--- FAIL: "); ok {
			failed++
			if !strings.HasPrefix(name, "TestWrong") {
				t.Errorf("%s%s", line, out)
			}
		}
	}
	want := len(strings.Split(exploredOften, "|"))
	switch {
	case !controlled:
		want = 1
		if !strings.Contains(string(out), "commute: schedules are not controlled (") {
			t.Errorf("nothing says that schedules are not controlled\n%s", out)
		}
		unreplayed(t, tool, p)
	case *portsAll:
		want = 25
	}
	if failed < want {
		t.Errorf("%d tests fail, want %d\n%s", failed, want, out)
	}
}

// unreplayed wants one line, and nothing built, where a schedule can't be made again.
func unreplayed(t *testing.T, tool string, p port) {
	cmd := exec.Command(tool, "test", "-replay=x1-first", ".")
	cmd.Dir, cmd.Env = "../../testdata/explore", append(os.Environ(), p.env()...)
	out, err := cmd.CombinedOutput()
	want := "commute: -replay: schedules can't be controlled here: that works on linux/amd64, " +
		"linux/arm64 and linux/386, and this is " + p.name + "\n"
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != want {
		t.Errorf("%v\n%swant exit status 2 and\n%s", err, out, want)
	}
}

// platform is the port as a platform.
func (p port) platform() target.Platform {
	goos, goarch, _ := strings.Cut(p.name, "/")
	return target.Platform{GOOS: goos, GOARCH: goarch}
}

// refused wants one line, and nothing built, where the compiler can't announce accesses to memory.
func refused(t *testing.T, tool string, p port) {
	cmd := exec.Command(tool, "test", "-datarace", "-c", "-o", filepath.Join(t.TempDir(), "x"), ".")
	cmd.Dir, cmd.Env = "../../testdata/dataraces", append(os.Environ(), p.env()...)
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("commute: -datarace needs the compiler's -race, "+
		"which does not exist for %s: drop the flag\n", p.name)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != want {
		t.Errorf("%v\n%swant exit status 2 and\n%s", err, out, want)
	}
}

// binary is a program that was built for p, to be run in a folder.
func (p port) binary(path, dir string) *Binary {
	return &Binary{
		Path: path, Dir: dir, Exec: strings.Fields(p.exec), Parallel: 2, Timeout: 15 * time.Minute,
	}
}
