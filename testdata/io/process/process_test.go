// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

// Package process holds only tests: goroutines that meet by a child process, or by a signal. Once
// there was a child, it may have written any file, so these tests have a process of their own.
// TestNoRaceX must not be reported.
package process

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// child is the environment variable that says what a child process does.
const child = "COMMUTE_IO_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "":
		os.Exit(m.Run())
	case "echo":
		if _, err := io.Copy(os.Stdout, os.Stdin); err != nil {
			os.Exit(1)
		}
	case "sleep":
		select {}
	}
}

// A cache is checked first, and then acted on.
type cache struct{ m sync.Map }

func (c *cache) get() {
	if _, ok := c.m.Load("key"); !ok {
		c.m.Store("key", new(int))
	}
}

func (c *cache) set() { c.m.Store("key", 1) }

func together(functions ...func()) {
	var all sync.WaitGroup
	for _, f := range functions {
		all.Go(f)
	}
	all.Wait()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func send(t *testing.T, w io.Writer) {
	t.Helper()
	_, err := w.Write([]byte{1})
	must(t, err)
}

func receive(t *testing.T, r io.Reader) {
	t.Helper()
	_, err := io.ReadFull(r, make([]byte, 1))
	must(t, err)
}

// command is a child process that isn't started.
func command(does string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), child+"="+does)
	return c
}

// TestNoRaceChildEchoes has a child process give back what it is told, from one goroutine to
// another.
func TestNoRaceChildEchoes(t *testing.T) {
	c := new(cache)
	cmd := command("echo")
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	together(func() {
		for range 3 {
			c.get()
			send(t, in)
		}
	}, func() {
		for range 3 {
			receive(t, out)
		}
		c.get()
	})
	must(t, in.Close())
	must(t, cmd.Wait())
}

// TestNoRaceChildStarts has a goroutine learn from a child's output that the child was started.
func TestNoRaceChildStarts(t *testing.T) {
	c := new(cache)
	cmd := command("echo")
	cmd.Stdin = strings.NewReader("text")
	out, err := cmd.StdoutPipe()
	must(t, err)
	together(func() {
		c.get()
		must(t, cmd.Start())
	}, func() {
		receive(t, out)
		c.get()
	})
	must(t, cmd.Wait())
}

// TestNoRaceChildEnds has a child end when its input does, for which another goroutine waits.
func TestNoRaceChildEnds(t *testing.T) {
	for _, end := range []func(*exec.Cmd, io.Closer) error{
		func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Kill() },
		func(cmd *exec.Cmd, _ io.Closer) error {
			return syscall.Kill(cmd.Process.Pid, syscall.SIGKILL)
		},
	} {
		c := new(cache)
		cmd := command("echo")
		in, err := cmd.StdinPipe()
		must(t, err)
		must(t, cmd.Start())
		together(func() {
			c.get()
			must(t, end(cmd, in))
		}, func() {
			_, _ = cmd.Process.Wait()
			c.set()
		})
	}
}

// TestNoRaceSignal has a goroutine send the process a signal, and another one wait for it.
func TestNoRaceSignal(t *testing.T) {
	own, err := os.FindProcess(os.Getpid())
	must(t, err)
	for _, raise := range []func() error{
		func() error { return syscall.Kill(os.Getpid(), syscall.SIGUSR1) },
		func() error { return own.Signal(syscall.SIGUSR1) },
	} {
		c := new(cache)
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGUSR1)
		together(func() {
			c.get()
			must(t, raise())
		}, func() {
			<-signals
			c.set()
		})
		signal.Stop(signals)
	}
}
