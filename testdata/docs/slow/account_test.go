// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package slow

import (
	"sync"
	"testing"
)

func TestDeposit(t *testing.T) {
	a := new(Account)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { a.Deposit(1) })
	}
	all.Wait()
}
