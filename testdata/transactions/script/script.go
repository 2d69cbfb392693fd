// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package script makes goroutines take turns. It is not watched: what it does is no conflict between transactions.
package script

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Script is steps that goroutines come to, by name.
type Script struct {
	mu   sync.Mutex
	step map[string]chan bool
}

func (s *Script) at(name string) chan bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.step == nil {
		s.step = make(map[string]chan bool)
	}
	if s.step[name] == nil {
		s.step[name] = make(chan bool)
	}
	return s.step[name]
}

// Done tells that a step has been taken.
func (s *Script) Done(name string) { close(s.at(name)) }

// Await waits for a step.
func (s *Script) Await(name string) { <-s.at(name) }

// Try waits for a step, but not for long: if a lock keeps it from being taken, it goes on.
func (s *Script) Try(name string) bool {
	select {
	case <-s.at(name):
		return true
	case <-time.After(5 * time.Millisecond):
		return false
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

// A Meeting is a place where goroutines wait for each other, to go on at the same moment.
type Meeting struct{ here atomic.Int32 }

// Wait waits until n have come.
func (m *Meeting) Wait(n int32) {
	m.here.Add(1)
	for try := 0; m.here.Load() < n; try++ {
		if try > 1000 {
			runtime.Gosched()
		}
	}
}
