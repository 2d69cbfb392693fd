// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const keptProgram = `package m

import (
	"os"
	"sync"
	"testing"
)

func TestLost(t *testing.T) {
	var mu sync.Mutex
	n := 0
	add := func() {
		mu.Lock()
		v := n
		if os.Getenv("RIGHT") == "" {
			mu.Unlock()
			mu.Lock()
		}
		n = v + 1
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(add)
	wg.Go(add)
	wg.Wait()
	if n != 2 {
		t.Errorf("2 were added, and there are %d", n)
	}
}

func TestOther(t *testing.T) {
	if name := os.Getenv("SPOILT"); name != "" {
		os.WriteFile(name, []byte("spoilt\n"), 0o666)
	}
}
`

// TestKept has a schedule kept, and run after the tests; then the program is mended, and the test
// removed.
func TestKept(t *testing.T) {
	build(t, "explore", "") // or it is skipped
	os.Unsetenv("COMMUTE_EXPLORING")
	os.Unsetenv("COMMUTE")
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.25\n")
	write("m_test.go", keptProgram)
	expect := func(right string, code int, args string, want ...string) string {
		t.Helper()
		path, err := tool()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path, strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "RIGHT="+right)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		for _, w := range want {
			no, found := strings.CutPrefix(w, "not: ")
			if regexp.MustCompile("(?m)"+no).Match(out) == found {
				t.Errorf("commute %s: want %q", args, w)
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != code || t.Failed() {
			t.Fatalf("commute %s: code %d, want %d\n%s", args, got, code, out)
		}
		return string(out)
	}
	out := expect("", 1, "test -explore -explore_schedules .",
		`^    schedule: 1 forced switch of 7 points`,
		`^    kept: testdata/explore/TestLost/\w+\.schedule$`)
	file := regexp.MustCompile(`kept: (\S+)`).FindStringSubmatch(out)[1]
	expect("", 1, "test -replay="+file+" .", `^--- FAIL: TestLost \(replayed\)$`,
		"not: is not that of")
	expect("", 1, "test .", `^ok`, `^--- FAIL: TestLost \(by `+file+`\)$`, `> before 17  mu\.Lock`,
		`^commute: 1 schedule in testdata/explore: 1 failed$`)
	expect("", 0, "test -run TestOther .", "not: schedule")
	const old = `it forces decision \d+, and the run has 5 decisions`
	expect("1", 0, "test .", "not: FAIL", file+` no longer applies: `+old,
		`^commute: 1 schedule in testdata/explore: none fails$`)
	expect("1", 0, "test -v .", `^    by `+file+`$`)
	expect("1", 0, "test -replay="+file+" .", `the run is not that of `+file+`: `+old)
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, file)); err != nil {
		t.Fatal(err)
	}
	write("testdata/explore/TestGone/a.schedule", strings.Replace(string(text), "TestLost",
		"TestGone", 1))
	expect("", 0, "test .", `TestGone/a.schedule no longer applies: there is no test TestGone`,
		"not: ^commute: 1 schedule in")
	write("testdata/explore/TestGone/a.schedule", "nonsense\n")
	expect("", 2, "test .", `^commute: testdata/explore/TestGone/a\.schedule:1:1: want`)
	expect("", 1, "test -explore -explore_schedules=out .", `^    kept: out/TestLost/`)

	// what can't be written hides no failure
	expect("", 1, "test -explore -explore_schedules=go.mod .", `^        m_test.go:.* 2 were added`,
		`^    the schedule is not kept: .*go\.mod`, `^    replay: `)
	t.Setenv("SPOILT", filepath.Join(dir, "cover.txt"))
	expect("", 1, "test -explore -explore_cover=cover.txt .", `^--- FAIL: TestLost`,
		`^commute: cover\.txt:1:1: want "commute cover 1"`)
	os.Remove(filepath.Join(dir, "cover.txt"))
	expect("1", 2, "test -explore -explore_cover=cover.txt .", `^ok`,
		`^commute: cover\.txt:1:1: want "commute cover 1"`)
}
