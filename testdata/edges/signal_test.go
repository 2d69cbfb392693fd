// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package edges

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

func TestNoRaceSignalNotify(t *testing.T) { ordered(notified(t)) }
func TestRaceSignalNotify(t *testing.T)   { bothWith(t, notified) }
