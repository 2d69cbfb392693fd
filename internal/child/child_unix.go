// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package child

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

var ending = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP}

var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP,
	syscall.SIGUSR1, syscall.SIGUSR2}

// Exit ends this process as the child has ended: with its exit code, or by the signal that has
// killed it.
func Exit(state *os.ProcessState) {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		signal.Reset(status.Signal())
		syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // one core is enough
		syscall.Kill(syscall.Getpid(), status.Signal())
		// Another thread may take it, a little later. If it is blocked, or ignored, a shell's
		// number for it has to do.
		time.Sleep(time.Second)
		os.Exit(128 + int(status.Signal()))
	}
	os.Exit(state.ExitCode())
}
