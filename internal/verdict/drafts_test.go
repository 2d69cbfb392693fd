// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// drafted is the module of the types whose drafts are tested, and drafts has the types.
const drafted = "../../testdata/drafts"

var drafts = []string{"LRU", "Queue", "Registry", "TTL", "Counters", "Pool", "Set", "EventLog",
	"Limiter", "Sessions"}

// TestDrafts compares drafts with the golden ones. Then it pastes these into their types' doc
// comments: spec test refutes nothing, the right programs pass, and the wrong ones are found by
// what the drafts say.
func TestDrafts(t *testing.T) {
	t.Parallel()
	longtest.Need(t, "it drafts, builds and runs ten types")
	tool, list := commute(t), drafts
	if os.Getenv(runsVariable) == "" {
		list = list[:4] // the others take minutes
	}
	dir := filepath.Join(t.TempDir(), "drafts")
	if err := os.CopyFS(dir, os.DirFS(drafted)); err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		got := commuteOut(t, tool, dir, "spec", "draft", name)
		golden := filepath.Join(drafted, "golden", strings.ToLower(name)+".txt")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("the draft of %s is not that of %s (%v):\n%s", name, golden, err, got)
		}
	}
	for _, name := range list {
		commuteOut(t, tool, dir, "spec", "draft", "-notest", "-w", name) // to know where it stands
		paste(t, dir, name)
	}
	commuteOut(t, tool, dir, "spec", "test", "-checks", "300", ".")
	judgeDrafts(t, tool, dir, list)
}

// commuteOut runs commute and returns what it prints. It must succeed.
func commuteOut(t *testing.T, tool, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool, args...)
	cmd.Dir = dir
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("commute %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out)
}

// paste puts the golden draft of a type in the place of the one that stands above it.
func paste(t *testing.T, dir, name string) {
	t.Helper()
	golden, err := os.ReadFile(filepath.Join(dir, "golden", strings.ToLower(name)+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, strings.ToLower(name)+".go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	drafted := regexp.MustCompile(`(?m)^// This draft of (.*\n//)*.*\n`)
	if len(drafted.FindAll(text, -1)) != 1 {
		t.Fatalf("%s has no draft", file)
	}
	text = drafted.ReplaceAllLiteral(text, golden)
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
}

// judgeDrafts runs the right and wrong programs that use the types.
func judgeDrafts(t *testing.T, tool, dir string, list []string) {
	cmd := exec.Command(tool, "test", "-v", "-run",
		"TestRace("+strings.Join(list, "|")+")$|TestNoRace("+strings.Join(list, "|")+")$", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("commute test finds nothing")
	}
	var failed, passed []string
	for _, m := range regexp.MustCompile(`--- (FAIL|PASS): Test(Race|NoRace)(\w+)`).
		FindAllStringSubmatch(string(out), -1) {
		if (m[1] == "FAIL") != (m[2] == "Race") {
			t.Errorf("%s: Test%s%s", m[1], m[2], m[3])
		}
		if m[1] == "FAIL" {
			failed = append(failed, m[3])
		} else {
			passed = append(passed, m[3])
		}
	}
	for _, name := range list {
		if !slices.Contains(failed, name) || !slices.Contains(passed, name) {
			t.Errorf("no wrong or no right program of %s was judged", name)
		}
		by := regexp.MustCompile(`TestRace` + name +
			`\.func1 checks with \w+ and then acts with \w+, which is not atomic`)
		if !by.Match(out) {
			t.Errorf("the wrong program of %s is not found by its draft", name)
		}
	}
	if t.Failed() {
		t.Logf("%s", out)
	}
}
