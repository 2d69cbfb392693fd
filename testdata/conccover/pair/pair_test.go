// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package pair has tests of another package's type.
package pair

import (
	"testing"

	"example.com/conccover"
	"example.com/dep"
)

// TestForget has what the other package's tests lack.
func TestForget(t *testing.T) {
	var s conccover.Store
	done := make(chan bool)
	go func() {
		s.Name("a", "x")
		done <- true
	}()
	s.Forget("a")
	<-done
}

// TestDependency runs the critical sections of a dependency in two goroutines.
func TestDependency(t *testing.T) {
	var c dep.Counter
	done := make(chan bool)
	go func() {
		c.Add()
		done <- true
	}()
	<-done
	c.Add()
}
