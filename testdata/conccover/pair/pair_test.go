// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package pair has tests of another package's type.
package pair

import (
	"testing"

	"example.com/conccover"
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
