// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// keptProgram has a test besides, which may write a file.
var keptProgram = strings.ReplaceAll(lostUpdate, "// more functions", `func TestOther(t *testing.T) {
	if name := os.Getenv("SPOILT"); name != "" {
		os.WriteFile(name, []byte("spoilt\n"), 0o666)
	}
}`)

// TestKept has a schedule kept, and run after the tests; then the program is mended, and the test
// removed.
func TestKept(t *testing.T) {
	t.Parallel()
	m := newModule(t, keptProgram)
	const wrong, right = "RIGHT=", "RIGHT=1"
	out := m.expect(1, wrong, "test -explore -explore_schedules .",
		`^    schedule: 1 forced switch of 7 points`,
		`^    kept: testdata/explore/TestLost/\w+\.schedule$`)
	file := regexp.MustCompile(`kept: (\S+)`).FindStringSubmatch(out)[1]
	m.expect(1, wrong, "test -replay="+file+" .", `^--- FAIL: TestLost \(replayed\)$`,
		"not: is not that of")
	m.expect(1, wrong, "test .", `^ok`, `^--- FAIL: TestLost \(by `+file+`\)$`,
		`> before 17  mu\.Lock`, `^commute: 1 schedule in testdata/explore: 1 failed$`)
	m.expect(0, wrong, "test -run TestOther .", "not: schedule")
	const old = `it forces decision \d+, and the run has 5 decisions`
	m.expect(0, right, "test .", "not: FAIL", file+` no longer applies: `+old,
		`^commute: 1 schedule in testdata/explore: none fails$`)
	m.expect(0, right, "test -v .", `^    by `+file+`$`)
	m.expect(0, right, "test -replay="+file+" .", `the run is not that of `+file+`: `+old)
	text, err := os.ReadFile(filepath.Join(m.dir, file))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(m.dir, file)); err != nil {
		t.Fatal(err)
	}
	m.write("testdata/explore/TestGone/a.schedule", strings.Replace(string(text), "TestLost",
		"TestGone", 1))
	m.expect(0, wrong, "test .", `TestGone/a.schedule no longer applies: there is no test TestGone`,
		"not: ^commute: 1 schedule in")
	m.write("testdata/explore/TestGone/a.schedule", "nonsense\n")
	m.expect(2, wrong, "test .", `^commute: testdata/explore/TestGone/a\.schedule:1:1: want`)
	m.expect(1, wrong, "test -explore -explore_schedules=out .", `^    kept: out/TestLost/`)

	// what can't be written hides no failure
	m.expect(1, wrong, "test -explore -explore_schedules=go.mod .", `^        m_test.go:.* 2 were added`,
		`^    the schedule is not kept: .*go\.mod`, `^    replay: `)
	m.env = append(m.env, "SPOILT="+filepath.Join(m.dir, "cover.txt"))
	m.expect(1, wrong, "test -explore -explore_cover=cover.txt .", `^--- FAIL: TestLost`,
		`^commute: cover\.txt:1:1: want "commute cover 1"`)
	os.Remove(filepath.Join(m.dir, "cover.txt"))
	m.expect(2, right, "test -explore -explore_cover=cover.txt .", `^ok`,
		`^commute: cover\.txt:1:1: want "commute cover 1"`)
}
