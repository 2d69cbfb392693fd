// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+) \(explored: run (\d+) of `)
var replayed = regexp.MustCompile(`(?m)^ *(replay: .*)$`)

// TestExploreSame has shards of some tests explored by the pipeline, and one after the other by
// commute test: the failures are the same, and so is what was covered.
func TestExploreSame(t *testing.T) {
	longtest.Need(t, "compiles the standard library so that schedules are explored")
	dir, err := filepath.Abs("../../../testdata/explore")
	if err != nil {
		t.Fatal(err)
	}
	const shards = 2
	run := "-run=^Test(Wrong|Right)(LostUpdate|Limit|ABA)$"
	o := ExploreOptions{Commute: command(t), Dir: dir, Explore: "24", Shards: shards,
		Flags: []string{run}}
	lines, s, _ := throughExplored(t, o, "github.com/commutego/commute/testdata/explore")

	var want []string // the test, the shard, the run and the seed
	failed := make(map[string]bool)
	folder := t.TempDir()
	args := []string{"cover", "-o", filepath.Join(folder, "all")}
	for i := range shards {
		cover := filepath.Join(folder, fmt.Sprint(i))
		args = append(args, cover)
		cmd := exec.Command(command(t), "test", "-explore=24", run, "-explore_cover="+cover,
			fmt.Sprintf("-explore_shard=%d/%d", i+1, shards), "-p=1", ".")
		cmd.Dir = dir
		out, _ := cmd.Output()
		tests, replays := failedTest.FindAllSubmatch(out, -1), replayed.FindAllSubmatch(out, -1)
		if len(tests) == 0 || len(tests) != len(replays) {
			t.Fatalf("%s", out)
		}
		for j, m := range tests {
			failed[string(m[1])] = true
			want = append(want, fmt.Sprintf("%s %d/%d %s %s", m[1], i+1, shards, m[2],
				replays[j][1]))
		}
	}
	if out, err := exec.Command(command(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	covered, err := os.ReadFile(filepath.Join(folder, "all"))
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, l := range lines {
		switch {
		case l.Error != "":
			t.Error(l.Error)
		case l.Cover != "" && l.Cover != string(covered):
			t.Errorf("covered\n%s\nwant\n%s", l.Cover, covered)
		case l.Test != "":
			told++ // a test may fail in two ways
			delete(failed, l.Test)
			got := fmt.Sprintf("%s %s %d ", l.Test, l.Shard, l.Run)
			if m := replayed.FindStringSubmatch(l.Output); m != nil {
				got += m[1]
			}
			if !slices.Contains(want, got) {
				t.Errorf("%s, not any of\n%s", got, strings.Join(want, "\n"))
			}
		}
	}
	t.Log(strings.Join(want, "\n"))
	if len(failed) > 0 || s.Tests != 6 || s.Failures != told || s.Failed != 0 {
		t.Errorf("%v\nnot told: %v", s, failed)
	}
}
