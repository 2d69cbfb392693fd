// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package transactions

import "github.com/commutego/commute/testdata/transactions/script"

// The other runs where the first is interrupted, in the middle of a transaction.
func interrupted(first func(s *script.Script), other func()) {
	var s script.Script
	script.Go(func() { first(&s) }, func() {
		s.Await("half")
		other()
		s.Done("other")
	})
}

// interrupt lets the other run, to its end.
func interrupt(s *script.Script) {
	s.Done("half")
	s.Await("other")
}

// invite lets it run if it can; where a lock is held, it comes later.
func invite(s *script.Script) {
	s.Done("half")
	s.Try("other")
}
