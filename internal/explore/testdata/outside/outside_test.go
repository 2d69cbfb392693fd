// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package outside has programs in which something comes from outside: from a process that they have
// started, and by the real time. Environment variables say what that process does.
package outside

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// child starts a shell. It runs the script of an environment variable, or else this one.
func child(t *testing.T, variable, script string, files ...*os.File) (*exec.Cmd, io.WriteCloser) {
	t.Helper()
	if s := os.Getenv(variable); s != "" {
		script = s
	}
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.ExtraFiles = files
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	for _, f := range files {
		f.Close()
	}
	return cmd, in
}

// pipes are so many pipes.
func pipes(t *testing.T, n int) (ins, outs []*os.File) {
	t.Helper()
	for range n {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ins, outs = append(ins, r), append(outs, w)
	}
	return ins, outs
}

// TestOrder reads a line from each of two pipes. The process answers an answer by the second line.
func TestOrder(t *testing.T) {
	order := readOrder(t)
	t.Logf("order %s", order)
	if os.Getenv("FAIL") == order {
		t.Errorf("the order is %s", order)
	}
}

// TestBoth fails if the lines come in one order, and the sum goes wrong then. From then on there is a
// file, and the process writes the lines in the other order.
func TestBoth(t *testing.T) {
	order := readOrder(t)
	var mu sync.Mutex
	n := 0
	add := func() {
		mu.Lock()
		v := n
		mu.Unlock()
		mu.Lock()
		n = v + 1
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(add)
	wg.Go(add)
	wg.Wait()
	if os.Getenv("FAIL") == order && n != 2 {
		os.WriteFile(os.Getenv("FAILED"), nil, 0o666)
		t.Errorf("the order is %s, and the sum %d", order, n)
	}
}

// readOrder reads the lines, and returns what they begin with, in their order.
func readOrder(t *testing.T) string {
	ins, outs := pipes(t, 2)
	cmd, in := child(t, "ORDER", "echo a >&3; read x; echo b >&4", outs...)
	var mu sync.Mutex
	order := ""
	var wg sync.WaitGroup
	for _, r := range ins {
		wg.Go(func() {
			defer r.Close()
			line, err := bufio.NewReader(r).ReadString('\n')
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			order += line[:1]
			mu.Unlock()
			io.WriteString(in, "x\n")
		})
	}
	wg.Wait()
	in.Close()
	cmd.Wait()
	return order
}

// TestTimer waits for a line, or for a timer.
func TestTimer(t *testing.T) {
	wait, err := time.ParseDuration(os.Getenv("WAIT"))
	if err != nil {
		wait = time.Minute
	}
	ins, outs := pipes(t, 1)
	cmd, in := child(t, "TIMER", "echo a >&3; read x", outs...)
	line := make(chan string, 1)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer ins[0].Close()
		text, _ := bufio.NewReader(ins[0]).ReadString('\n')
		line <- text
	})
	first := ""
	select {
	case <-line:
		first = "line"
	case <-time.After(wait):
		first = "timer"
		io.WriteString(in, "x\n")
		<-line
	}
	t.Logf("first %s", first)
	wg.Wait()
	in.Close()
	cmd.Wait()
	if os.Getenv("FAIL") == first {
		t.Errorf("the %s was first", first)
	}
}

// TestWait waits in a system call for a process, which another goroutine ends.
func TestWait(t *testing.T) {
	cmd, in := child(t, "SCRIPT", "read x")
	var mu sync.Mutex
	n := 0
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3 {
			mu.Lock()
			n++
			mu.Unlock()
		}
		in.Close()
	})
	cmd.Wait()
	mu.Lock()
	had := n
	mu.Unlock()
	wg.Wait()
	t.Logf("had %d", had)
}
