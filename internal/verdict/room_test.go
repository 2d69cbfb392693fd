// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// roomProgram prints how many bytes of stack each of many goroutines has got that lock and add, as
// often as the argument says. Each has pointers into its own stack meanwhile.
const roomProgram = `package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

const goroutines = 2000

var (
	mu     sync.RWMutex
	count  atomic.Int64
	failed atomic.Bool
	stop   = make(chan bool)
	ready  sync.WaitGroup
	ended  sync.WaitGroup
)

//go:noinline
func use(own *[4]int64, at **int64, n int) {
	for range n {
		mu.Lock()
		own[1]++
		mu.Unlock()
		**at += count.Add(1) * 0
		*at = &own[1]
	}
}

func work(n int) {
	defer ended.Done()
	var own [4]int64
	at := &own[2]
	use(&own, &at, n)
	if own[1] != int64(n) || at != &own[1] {
		failed.Store(true)
	}
	ready.Done()
	<-stop
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ready.Add(goroutines)
	ended.Add(goroutines)
	for range goroutines {
		go work(n)
	}
	ready.Wait()
	runtime.ReadMemStats(&after)
	close(stop)
	ended.Wait()
	if failed.Load() {
		panic("a stack was not moved as it has to be")
	}
	fmt.Println((after.StackInuse - before.StackInuse) / goroutines)
}
`

// TestRoom has goroutines announce accesses from small stacks. Those of goroutines that go on to do
// so may grow, and are moved as they have to be. The others stay small.
func TestRoom(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	tool, dir := commute(t), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/room\n\ngo 1.26\n", "main.go": roomProgram,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "program"+exe())
	command(t, dir, tool, "build", "-datarace", "-o", program, ".")
	stack := func(times string) int {
		out, err := exec.Command(program, times).Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		n, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	stack("60") // it panics if a stack was not moved right
	// A stack that has grown once is of 4 KB, and may have left 2 KB that are free but count.
	if few := stack("2"); few > 7<<10 {
		t.Errorf("%d bytes of stack for a goroutine that announces little", few)
	}
}
