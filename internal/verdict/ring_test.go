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

const ringProgram = `package long

import (
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

var (
	mu    sync.Mutex
	table [1024]int
	early int
	late  int
)

func work(rounds int) {
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range rounds {
				mu.Lock()
				table[i%len(table)]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

//atomic
func deposit() {
	mu.Lock()
	n := early
	mu.Unlock()
	work(100000)
	mu.Lock()
	early = n + 1
	mu.Unlock()
}

// written forces an interleaving without an edge: no detector sees its accesses.
var written bool

//go:norace
//go:noinline
func raise() { written = true }

//go:norace
//go:noinline
func raised() bool { return written }

// race has two accesses, one long before the other: at one instant, they could miss each other.
func race() {
	done := make(chan bool)
	go func() { late++; raise(); done <- true }()
	for !raised() {
		runtime.Gosched()
	}
	late++
	<-done
}

func TestEnd(t *testing.T) {
	deposit()
	end := os.Getenv("END")
	if end != "" {
		race()
	}
	switch end {
	case "panic":
		panic("so")
	case "fatal":
		mu.Unlock()
	case "exit":
		os.Exit(3)
	case "kill":
		work(9000)
		syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	}
}
`

// TestRing records the last megabyte of a program that goes on for long and races at its end, in
// whichever way that comes; where it doesn't race nothing is found.
func TestRing(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("kills itself")
	}
	tool := commute(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/long\n\ngo 1.26\n",
		"long_test.go": ringProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := func(env string, args ...string) (string, error) {
		cmd := exec.Command(tool, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := command("", "test", "-datarace", "-c", "-o", "long.test", "."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, end := range []string{"", "race", "panic", "fatal", "exit", "kill"} {
		t.Run("end="+end, func(t *testing.T) {
			t.Parallel()
			traces := t.TempDir()
			cmd := exec.Command(filepath.Join(dir, "long.test"))
			cmd.Dir = traces
			cmd.Env = append(os.Environ(), "END="+end, "COMMUTE=trace=. trace_last_mb=1")
			out, err := cmd.CombinedOutput()
			if (err != nil) != (end != "") {
				t.Fatalf("%v\n%s", err, out)
			}
			files, _ := filepath.Glob(filepath.Join(traces, "*.trace"))
			if len(files) != 1 {
				t.Fatalf("%d traces\n%s", len(files), out)
			}
			info, err := os.Stat(files[0])
			if err != nil || info.Size() < 900<<10 || info.Size() > 1200<<10 {
				t.Errorf("the trace has %d bytes, %v", info.Size(), err)
			}
			text, err := command("", "trace", "info", files[0])
			if err != nil || !strings.Contains(text, "\nstarts in the middle: ") {
				t.Errorf("%v\n%s", err, text)
			}
			if text, err := command("", "trace", "validate", files[0]); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if text, err := command("", "trace", "convert", files[0],
				filepath.Join(traces, "x.txt")); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			text, err = command("", "analyze", "-check=hb,fasttrack,frontier", "-all", files[0])
			if err != nil != (end != "") || strings.Contains(text, ", check hb,") != (end != "") ||
				strings.Contains(text, "check frontier") {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}
