// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package capture has helpers for the engine's tests: they capture stderr, compare texts with
// golden files, and tell when a goroutine waits for another. No part of it is in a watched program.
package capture

import (
	"flag"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// Stderr returns what f writes to the standard error.
func Stderr(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	saved := os.Stderr
	os.Stderr = w
	done := make(chan string)
	go func() {
		data, _ := io.ReadAll(r)
		done <- string(data)
	}()
	f()
	os.Stderr = saved
	w.Close()
	return <-done
}

// Pause returns a channel that is closed once a goroutine waits for a lock, or for another
// goroutine's step. That goroutine must end before the test does.
func Pause(t testing.TB) <-chan struct{} {
	paused := make(chan struct{})
	host.Paused = sync.OnceFunc(func() { close(paused) })
	t.Cleanup(func() { host.Paused = nil })
	return paused
}

var update = flag.Bool("update", false, "rewrite the golden files")

// Golden compares text with a file of testdata.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	name = "testdata/" + name
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("differs from %s (run go test -update if it should):\n%s", name, got)
	}
}
