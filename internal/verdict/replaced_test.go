// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestObservedAfterPredicted has a violation that is predicted first, and then happens. It is
// reported as observed, and the summary counts it once.
func TestObservedAfterPredicted(t *testing.T) {
	longtest.Same(t)
	tool := commute(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n",
		"a_test.go": afterPredicted} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(tool, "test", "-count=1", ".")
	cmd.Dir = dir
	raw, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("the test passes")
	}
	out := string(raw)
	predicted, observed := strings.Index(out, "\nEvidence: predicted: "),
		strings.Index(out, "\nEvidence: observed: ")
	if predicted < 0 || observed < predicted {
		t.Errorf("predicted at %d, observed at %d:\n%s", predicted, observed, out)
	}
	const summary = "commute: found 1 atomicity violation\n  m.(*account).deposit (a_test.go:31)\n" +
		"    a_test.go:33 to a_test.go:36, interfered with at a_test.go:42 by " +
		"m.(*account).set: 1 time\nFAIL\t"
	if !strings.Contains(out, summary) {
		t.Errorf("the summary is not\n%s\nbut:\n%s", summary, out)
	}
}

// afterPredicted is a program whose goroutines take turns by flags that no detector sees: first one
// transaction comes after the other, then in the middle of it.
const afterPredicted = `package m

import (
	"runtime"
	"sync"
	"testing"
)

type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

type account struct {
	balance int
	mu      sync.Mutex
}

//commute:atomic
func (a *account) deposit(n int, middle func()) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	middle()
	a.set(was + n)
}

func (a *account) set(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = n
}

func TestBoth(t *testing.T) {
	var a account
	for range 3 { // now and then, on a busy machine, a prediction is not made
		var over flag
		both(func() { a.deposit(1, func() {}); over.raise() }, func() { over.await(); a.set(3) })
	}
	var read, written flag
	both(func() { a.deposit(1, func() { read.raise(); written.await() }) },
		func() { read.await(); a.set(3); written.raise() })
}

func both(f, g func()) {
	var wg sync.WaitGroup
	wg.Go(f)
	wg.Go(g)
	wg.Wait()
}
`
