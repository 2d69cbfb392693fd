// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package io

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
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

// command is a child process that isn't started.
func command(does string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), child+"="+does)
	return c
}

// TestNoRaceChildEchoes has a child process give back what it is told, from one goroutine to another.
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
	var started flag
	together(func() {
		c.get()
		must(t, cmd.Start())
		started.raise()
	}, func() {
		receive(t, out)
		c.get()
		started.await()
	})
	must(t, cmd.Wait())
}

// TestNoRaceChildEnds has a child end when its input does, for which another goroutine waits.
func TestNoRaceChildEnds(t *testing.T) {
	for _, end := range []func(*exec.Cmd, io.Closer) error{
		func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Kill() },
		func(cmd *exec.Cmd, _ io.Closer) error { return syscall.Kill(cmd.Process.Pid, syscall.SIGKILL) },
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
