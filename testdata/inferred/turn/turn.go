// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package turn makes goroutines take turns without ordering them: who waits looks at a file, and then at the clock.
package turn

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Turns are steps that goroutines come to, by name.
type Turns struct{ dir string }

// New makes the turns of one test.
func New(t *testing.T) *Turns { return &Turns{t.TempDir()} }

// Done tells that a step has been taken.
func (s *Turns) Done(step string) {
	if err := os.Mkdir(filepath.Join(s.dir, step), 0o777); err != nil {
		panic(err)
	}
}

// Await waits for a step, but not for long: if a lock keeps it from being taken, it goes on.
func (s *Turns) Await(step string) {
	for end := time.Now().Add(50 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond / 4) {
		if _, err := os.Stat(filepath.Join(s.dir, step)); err == nil {
			return
		}
	}
}

// Go runs functions side by side and waits for them.
func Go(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}
