// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/commutego/commute/internal/explore"
)

// fakeVariable has the tests' program be a command in place of commute: it is the folder of what
// that does.
const fakeVariable = "COMMUTE_BEAM_FAKE"

// fake is that command. It counts its calls for each package and shard in files, and the first ones
// fail as their names say. Package "broken" does not build, and "gone" fails always.
func fake(dir string, args []string) int {
	pkg := args[len(args)-1]
	var shard, cover string
	for _, a := range args {
		if s, ok := strings.CutPrefix(a, "-explore_shard="); ok {
			shard = s
		}
		if s, ok := strings.CutPrefix(a, "-explore_cover="); ok {
			cover = s
		}
	}
	tell := func(e map[string]string) { fmt.Println(string(encode(e))) }
	if pkg == "broken" {
		tell(map[string]string{"Action": "build-output", "Output": "broken.go:1: no such thing\n"})
		tell(map[string]string{"Action": "fail", "Package": pkg, "FailedBuild": pkg})
		return 1
	}
	f, err := os.CreateTemp(dir, pkg+"-"+strings.ReplaceAll(shard, "/", "of")+"-")
	if err != nil {
		panic(err)
	}
	f.Close()
	calls, _ := filepath.Glob(f.Name()[:strings.LastIndexByte(f.Name(), '-')+1] + "*")
	tell(map[string]string{"Action": "run", "Package": pkg, "Test": "TestX"})
	for _, line := range strings.SplitAfter("--- FAIL: TestX (explored: run 1"+shard[:1]+" of 64)\n"+
		"        x_test.go:7: got "+shard[:1]+" of "+pkg+"\n    schedule: "+shard[:1]+" of 9\n"+
		"    replay: it\n", "\n") {
		tell(map[string]string{"Action": "output", "Package": pkg, "Test": "TestX", "Output": line})
	}
	switch n := len(calls); {
	case pkg == "gone" || pkg == "twice" && n < 3:
		fmt.Fprintln(os.Stderr, "the machine is gone")
		return 2
	case pkg == "cut" && n < 2:
		fmt.Print(`{"Action":"fail","Pack`)
		return 1
	case pkg == "late" && n < 3: // it ends before the package does
		return 1
	}
	tell(map[string]string{"Action": "fail", "Package": pkg, "Test": "TestX"})
	tell(map[string]string{"Action": "fail", "Package": pkg})
	text := fmt.Sprintf("commute cover 1\nLock m/%s.go:%s before Lock m/%s.go:9\n"+
		"test %s TestX seed 1 shard %s runs 5 switches 1 fail\n", pkg, shard[:1], pkg, pkg, shard)
	if err := os.WriteFile(cover, []byte(text), 0o666); err != nil {
		panic(err)
	}
	return 1
}

// throughExplored runs a pipeline on prism.
func throughExplored(t *testing.T, o ExploreOptions, packages ...string) (lines []*ExploredLine,
	s *ExploredSummary, text string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "explored.jsonl")
	*jobopts.JobName = ""
	p, scope := beam.NewPipelineWithRoot()
	BuildExplore(scope, packages, out, o)
	if _, err := beam.Run(context.Background(), "prism", p); err != nil {
		t.Fatal(err)
	}
	s, err := ReadExplored(context.Background(), out, func(l *ExploredLine, data []byte) error {
		lines = append(lines, l)
		text += string(data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, s, text
}

// TestExploreRetry has workers fail in several ways. What they do then is told once, and nothing
// of what they have told before; a package that doesn't build is one error, as is one that is given
// up, and the others are done.
func TestExploreRetry(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(fakeVariable, dir)
	o := ExploreOptions{Commute: os.Args[0], Explore: "64", Shards: 3}
	lines, s, _ := throughExplored(t, o, "well", "twice", "cut", "late", "broken", "gone", "well")
	var failed, wrong []string
	cover := new(explore.Cover)
	for _, l := range lines {
		switch {
		case l.Error != "":
			wrong = append(wrong, l.Package+": "+l.Error)
		case l.Fingerprint != "":
			failed = append(failed, fmt.Sprint(l.Package, " ", l.Test, " ", l.Shards, " ", l.Shard, " ",
				l.Run))
			want := "    x_test.go:7: got 1 of " + l.Package + "\nschedule: 1 of 9\nreplay: it\n"
			if l.Output != want {
				t.Errorf("%q, want %q", l.Output, want)
			}
		case l.Cover != "":
			var err error
			if cover, err = explore.ParseCover("", []byte(l.Cover)); err != nil {
				t.Error(err)
			}
		}
	}
	var want []string
	for _, name := range []string{"cut", "late", "twice", "well"} {
		want = append(want, name+" TestX [1/3 2/3 3/3] 1/3 11")
	}
	if !slices.Equal(failed, want) {
		t.Errorf("%q, want %q", failed, want)
	}
	unbuilt := "broken: broken does not build:\nbroken.go:1"
	if len(wrong) != 2 || !strings.HasPrefix(wrong[0], unbuilt) ||
		!strings.Contains(wrong[1], "the machine is gone") {
		t.Errorf("errors %q", wrong)
	}
	if *s != (ExploredSummary{Packages: 6, Failed: 2, Tests: 4, Runs: 4 * 3 * 5, Failures: 4,
		Pairs: 4 * 3}) {
		t.Errorf("%+v", *s)
	}
	if tests, runs := cover.Totals(); tests != 4 || runs != 60 {
		t.Errorf("covered %d tests, %d runs", tests, runs)
	}
	for name, n := range map[string]int{"well": 1, "twice": 3, "cut": 2, "late": 3, "gone": 3} {
		for i := range 3 {
			calls, _ := filepath.Glob(filepath.Join(dir, fmt.Sprintf("%s-%dof3-*", name, i+1)))
			if len(calls) != n {
				t.Errorf("%s, shard %d: %d attempts, want %d", name, i+1, len(calls), n)
			}
		}
	}
}

// TestExploredLines puts parts together in any order, some of them twice: all is the same. A part
// that is missing is an error of its package.
func TestExploredLines(t *testing.T) {
	list := tasks([]string{"b", "a", "a"}, 4)
	var parts []*part
	for i, task := range list {
		parts = append(parts, &part{Task: task, Cover: fmt.Sprintf("commute cover 1\n"+
			"Lock m/a.go:%d before Lock m/a.go:%d\ntest %s TestX seed 1 shard %d/4 runs %d switches 0 "+
			"pass\n", i%3+1, (i+1)%3+1, task.Package, task.Shard.Index, i), Failures: []failure{
			{"TestX", fmt.Sprint(i % 2), i, fmt.Sprint("report ", i)}, {"TestY", "y", 9 - i, ""}}})
	}
	want, err := exploredLines(list, parts)
	if err != nil || len(want) != 2*3+2 || len(want[0].Shards) != 2 || want[2].Run != 6 {
		t.Fatalf("%v\n%s", err, text(want))
	}
	for range 100 {
		some := append(slices.Clone(parts), parts[rand.IntN(len(parts))])
		rand.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		if got, err := exploredLines(list, some); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v\n%s\nwant\n%s", err, text(got), text(want))
		}
	}
	got, err := exploredLines(list, parts[1:])
	if err != nil || got[len(got)-1].Summary.Failed != 1 ||
		!strings.Contains(text(got), "a: shard 1/4 has got lost") {
		t.Errorf("%v\n%s", err, text(got))
	}
}

func text(lines []*ExploredLine) (s string) {
	for _, l := range lines {
		data, _ := json.Marshal(l)
		s += string(data) + "\n"
	}
	return s
}
