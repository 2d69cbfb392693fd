// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"errors"
	"os"
	"time"

	process "github.com/commutego/commute/internal/child"
)

// Exploring ends early where a signal asks for that, as of Ctrl-C, and where the go command has
// ended that waits for it. Then processes that run tests are ended, too, and what they have shown
// doesn't count.

// errStopped says that exploring has ended early.
var errStopped = errors.New("interrupted")

// exitStopped is the exit code then: that of a shell for a program that Ctrl-C has ended.
const exitStopped = 130

// parentWait is how long it is waited until it is looked again whether the go command is there.
const parentWait = 500 * time.Millisecond

// stopped is done when exploring is to end early.
var stopped = context.Background()

// stopWhenAsked has stopped done at a signal, and when the parent process has ended, until the
// function is called that it returns.
func stopWhenAsked() (release func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stopped = ctx
	asked := make(chan os.Signal, 1)
	process.NotifyEnd(asked)
	parent := os.Getppid()
	go func() {
		defer cancel()
		for {
			select {
			case <-asked:
				return
			case <-ctx.Done():
				return
			case <-time.After(parentWait):
				if os.Getppid() != parent {
					return
				}
			}
		}
	}()
	return cancel
}

// endProcess asks a process to end: to show its goroutines first, if it has taken too long.
func endProcess(p *os.Process) error {
	if stopped.Err() == nil {
		return p.Signal(quit)
	}
	if err := p.Signal(os.Interrupt); err != nil {
		return p.Kill()
	}
	return nil
}

// interrupted is the note of a test in which exploring has ended early.
func (r *Result) interrupted(plan Plan) string {
	text := "note " + plan.Package + ": interrupted in " + r.Test + ", after " +
		count(r.Runs, "run")
	if r.Failure != nil {
		text += "; one of them has failed"
	}
	return text
}
