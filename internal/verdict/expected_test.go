// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
)

// TestExpected judges testdata/expected, which uses package commutetest: where its calls of Atomic
// have memory watched, with -datarace, and where memory is not watched.
func TestExpected(t *testing.T) {
	t.Parallel()
	tool := commute(t)
	for _, way := range []struct {
		name  string
		floor int
		flags []string
	}{
		{"Atomic", 45, nil},
		{"DataRace", 45, []string{"-datarace"}},
		{"Calls", 30, []string{"-tags=nomemory"}},
	} {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			b := build(t, tool, "expected", way.flags...)
			names, err := b.List()
			if err != nil {
				t.Fatal(err)
			}
			b.Runs = rest(t)
			for _, procs := range []string{"1", "2", "8"} {
				b.Env = []string{"GOMAXPROCS=" + procs}
				judge(t, b, names, way.floor)
			}
			silent(t, b, names)
		})
	}
}

// silent runs the tests that are to pass. What they expect, or ignore, is neither reported, nor
// listed at the end, nor does it change the exit status.
func silent(t *testing.T, b *Binary, names []string) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return !strings.HasPrefix(name, "TestNoRace")
	})
	cmd := b.command(t.Context(), "-test.run=^("+strings.Join(names, "|")+")$")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "PASS\n" {
		t.Errorf("%d tests that are to pass end with %v and print\n%s", len(names), err, out)
	}
}

// TestExpectedPlain runs testdata/expected without commute: all of it passes in a plain build, and
// under the race detector, where there is one, what races on no memory.
func TestExpectedPlain(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles a module")
	}
	passed := regexp.MustCompile(`(?m)^ok `)
	for _, flags := range [][]string{nil, {"-race", "-tags=nomemory"}} {
		dir, err := filepath.Abs("../../testdata/expected")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "go",
			append(append([]string{"test"}, flags...), ".")...)
		cmd.Dir, cmd.WaitDelay = dir, time.Minute
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "-race requires cgo") ||
			strings.Contains(string(out), "-race is not supported") ||
			strings.Contains(string(out), "C compiler") {
			t.Logf("no race detector here: %s", out)
			continue
		}
		if err != nil || !passed.Match(out) {
			t.Errorf("go test %v: %v\n%s", flags, err, out)
		}
	}
}
