// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import (
	"testing"

	"github.com/commutego/commute/testdata/transactions/script"
)

// The cycle is closed, and the first transaction over, while all others of it are still running.

// atomic
func first(out, in *account, s *script.Script, others ...string) {
	out.set(1)
	s.Done("first")
	for _, name := range others {
		s.Await(name)
	}
	in.get()
}

// atomic
func later(out, in *account, s *script.Script, name, before string) {
	s.Await(before)
	out.set(1)
	in.get()
	s.Done(name)
	s.Await("over")
}

func whileRunning(s *script.Script, f func(), others ...func()) {
	script.Go(append(others, func() { f(); s.Done("over") })...)
}

func TestRaceOtherRunning(t *testing.T) {
	var a, b account
	var s script.Script
	whileRunning(&s, func() { first(&a, &b, &s, "second") },
		func() { later(&b, &a, &s, "second", "first") })
}

func TestNoRaceOtherRunning(t *testing.T) {
	var a, b, c account
	var s script.Script
	whileRunning(&s, func() { first(&a, &c, &s, "second") },
		func() { later(&b, &a, &s, "second", "first") })
}

func TestRaceTwoOthersRunning(t *testing.T) {
	var a, b, c account
	var s script.Script
	whileRunning(&s, func() { first(&a, &c, &s, "second", "third") },
		func() { later(&b, &a, &s, "second", "first") },
		func() { later(&c, &b, &s, "third", "second") })
}

func TestNoRaceTwoOthersRunning(t *testing.T) {
	var a, b, c, d account
	var s script.Script
	whileRunning(&s, func() { first(&a, &d, &s, "second", "third") },
		func() { later(&b, &a, &s, "second", "first") },
		func() { later(&c, &b, &s, "third", "second") })
}
