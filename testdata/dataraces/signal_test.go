// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package dataraces

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

// notified is Notify, which comes before every signal that it asks for.
func notified(t *testing.T) edge {
	c := make(chan os.Signal, 1)
	t.Cleanup(func() { signal.Stop(c) })
	var asked flag
	return edge{
		func() { signal.Notify(c, syscall.SIGWINCH); asked.raise() },
		func() {
			asked.await()
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGWINCH); err != nil {
				t.Error(err)
			}
			<-c
		},
	}
}

func TestRaceSignal(t *testing.T)   { edges{"Notify": notified}.races(t) }
func TestNoRaceSignal(t *testing.T) { edges{"Notify": notified}.ordered(t) }

// A signal orders its receiver after no other goroutine, not even the one that sent it.
func TestRaceSignalSender(t *testing.T) {
	c, x := make(chan os.Signal, 1), new(cargo)
	signal.Notify(c, syscall.SIGWINCH)
	defer signal.Stop(c)
	apart(
		func() {
			x.load()
			if err := syscall.Kill(syscall.Getpid(), syscall.SIGWINCH); err != nil {
				t.Error(err)
			}
		},
		func() { <-c; x.unload() },
	)
}
