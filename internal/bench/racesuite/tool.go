// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A tool is a way to run tests.
type tool struct {
	name    string
	program string
	flag    string // that asks for data races
}

// plain is go test.
var plain = tool{name: "plain", program: "go"}

// newTools returns the tools of these names, and builds cmd/commute in dir for them.
func newTools(dir string, names []string) ([]tool, error) {
	var tools []tool
	for _, name := range names {
		switch name {
		case "race":
			tools = append(tools, tool{name, "go", "-race"})
		case "commute":
			program, err := commute(dir)
			if err != nil {
				return nil, err
			}
			tools = append(tools, tool{name, program, "-datarace"})
		default:
			return nil,
				fmt.Errorf("-tool %s: want commute or race, or both separated by a comma", name)
		}
	}
	return tools, nil
}

// commute returns the path of the commute command.
func commute(dir string) (string, error) {
	if *binary != "" {
		return filepath.Abs(*binary)
	}
	program := filepath.Join(dir, "commute")
	_, err := output(".", "go", "build", "-buildvcs=false", "-o", program, "./cmd/commute")
	return program, err
}

// command has the arguments for the tool to test.
func (t tool) command(args ...string) []string {
	if t.flag == "" {
		return append([]string{"test"}, args...)
	}
	flags := []string{"test", t.flag}
	if t.name == "commute" && *pattern != "" {
		flags = append(flags, "-watch="+*pattern)
	}
	return append(flags, args...)
}

// output is what a command prints; the error of one that fails has the end of it.
func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return out, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, tail(out))
	}
	return out, nil
}

// errTimeout is the error of a process that was ended.
var errTimeout = errors.New("timed out")

// A watch keeps the output of a process, and ends the process when no test has begun for a while.
type watch struct {
	out   bytes.Buffer
	limit time.Duration
	timer *time.Timer
}

func (w *watch) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(runLine)) {
		w.timer.Reset(w.limit)
	}
	return w.out.Write(p)
}

// watched runs a process and returns its standard output and standard error in one, in order. It
// fails if the process can't be started or takes too long, and not if the process fails.
func watched(dir string, env []string, limit time.Duration,
	name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w := &watch{limit: limit, timer: time.AfterFunc(limit, func() { cancel(errTimeout) })}
	defer w.timer.Stop()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = w, w
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = 10 * time.Second
	err := cmd.Run()
	if context.Cause(ctx) == errTimeout {
		return w.out.Bytes(), errTimeout
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return w.out.Bytes(), err
}

// interrupt ends a process by a signal where there are signals: go test has processes of its own to
// end.
func interrupt(p *os.Process) error {
	if err := p.Signal(os.Interrupt); err != nil {
		return p.Kill()
	}
	return nil
}

// tail is the end of what was printed.
func tail(out []byte) []byte {
	const length = 2000
	return bytes.TrimSpace(out[max(0, len(out)-length):])
}
