// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

const foretoldProgram = `package box

import (
	"runtime"
	"sync"
	"testing"

	"github.com/commutego/commute/commutetest"
)

type Box struct {
	mu sync.Mutex
	n  map[string]int
}

func New() *Box { return &Box{n: make(map[string]int)} }

func (b *Box) Set(key string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n[key] = n
}

//commute:atomic
func (b *Box) Open() {
	b.Set("a", 1)
	b.Set("b", 2)
}

//commute:atomic
func (b *Box) OpenAtOnce() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n["a"] = 1
	b.n["b"] = 2
}

// A flag tells a goroutine to go on, in a way that orders nothing.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func inTurn(first, second func()) {
	f := new(flag)
	var wg sync.WaitGroup
	wg.Go(func() {
		first()
		f.raise()
	})
	wg.Go(func() {
		for !f.raised() {
			runtime.Gosched()
		}
		second()
	})
	wg.Wait()
}

func TestBefore(t *testing.T) {
	b := New()
	inTurn(func() { b.Set("a", 5) }, b.Open)
}

func TestTwin(t *testing.T) {
	b := New()
	inTurn(func() { b.Set("a", 5) }, b.OpenAtOnce)
}

func TestAfter(t *testing.T) {
	b := New()
	inTurn(b.Open, func() { b.Set("a", 5) })
}

func TestIgnored(t *testing.T) { commutetest.Ignore(func() { TestBefore(t) }) }

func TestExpected(t *testing.T) {
	commutetest.Expect(t, commutetest.AtomicityViolation, func() {
		TestAfter(t)
		TestBefore(t)
	})
}

func TestLong(t *testing.T) {
	for range 30000 {
		New().OpenAtOnce()
	}
}
`

// TestPredict has test -predict find what could have been where a run finds nothing, and no more:
// not where it could not have been, nor again what the run reports, nor what is not to be told.
func TestPredict(t *testing.T) {
	longtest.Same(t)
	if runtime.GOOS != "linux" {
		t.Skip("has no -predict everywhere")
	}
	tool, dir := commute(t), t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module example.com/box\n\ngo 1.26.0\n\n" +
			"require github.com/commutego/commute v0.0.0\n\n" +
			"replace github.com/commutego/commute => " + root + "\n",
		"box_test.go": foretoldProgram, "rules": "Box).Open$\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		test, flags     string
		plain, foretold int // reports of a run, and of its end
		want            string
	}{
		{test: "TestBefore", foretold: 1, want: "\nFAIL\texample.com/box\t"},
		{test: "TestBefore", flags: "-suppressions=rules", want: "ok  \texample.com/box"},
		{test: "TestTwin", want: "ok  \texample.com/box"},
		{test: "TestAfter", plain: 1, want: "--- FAIL: TestAfter"},
		{test: "TestBefore|TestAfter", plain: 1, want: "--- FAIL: TestAfter"},
		{test: "TestIgnored", want: "ok  \texample.com/box"},
		{test: "TestExpected", want: "ok  \texample.com/box"},
		{test: "TestLong", flags: "-trace_limit=1",
			want: "commute: -predict: of 1 program only the first 1 MB looked at"},
	} {
		t.Run(c.test+c.flags, func(t *testing.T) {
			args := append([]string{"test", "-predict", "-run=^(" + c.test + ")$"},
				strings.Fields(c.flags)...)
			cmd := exec.Command(tool, args...)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			text := string(out)
			if (err != nil) != (c.plain+c.foretold > 0) || !strings.Contains(text, c.want) ||
				strings.Count(text, "WARNING: ATOMICITY VIOLATION\n") != c.plain+c.foretold ||
				strings.Count(text, "commute: predicted 1 atomicity violation;") != c.foretold {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
