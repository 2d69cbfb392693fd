// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build nomemory

package expected

import (
	"testing"

	"github.com/commutego/commute/commutetest"
)

// Where accesses to memory are not watched, nothing can be found of these kinds, nor is it missed.
func TestNoRaceNotLookedFor(t *testing.T) {
	called := 0
	commutetest.Expect(t, commutetest.DataRace, func() { called++ })
	commutetest.Expect(t, commutetest.AtomicityViolation, func() { called++ })
	if called != 2 {
		t.Errorf("%d of 2 functions were called", called)
	}
}

// What is not looked for is no excuse for what is.
func TestRaceNotLookedFor(t *testing.T) {
	commutetest.Expect(t, commutetest.DataRace, store)
}
