// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commutetest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/commutego/commute/commutetest"
)

// A test of a detector, of a specification, or of a mistake that is known: the two calls of Store
// race, and the test fails if commute does not see it.
func ExampleExpect() {
	test := func(t *testing.T) {
		commutetest.Expect(t, commutetest.CommutativityRace, func() {
			var m sync.Map
			var wg sync.WaitGroup
			for i := range 2 {
				wg.Go(func() { m.Store("key", i) })
			}
			wg.Wait()
		})
	}
	test(new(testing.T)) // as "go test" calls it
	fmt.Println("done")
	// Output: done
}

// The transfer is checked as a transaction, though the function that makes it is not marked: in
// some runs of a test, what it does is wanted in one go.
func ExampleAtomic() {
	var from, to sync.Map
	from.Store("amount", 5)
	commutetest.Atomic(func() {
		if amount, ok := from.LoadAndDelete("amount"); ok {
			to.Store("amount", amount)
		}
	})
	fmt.Println(to.Load("amount"))
	// Output: 5 true
}

// Who comes last wins, and that is how it is meant here.
func ExampleIgnore() {
	var last sync.Map
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			commutetest.Ignore(func() { last.Store("seen by", i) })
		})
	}
	wg.Wait()
	_, seen := last.Load("seen by")
	fmt.Println(seen)
	// Output: true
}

// A test that is slow when it is watched does less.
func ExampleEnabled() {
	rounds := 1000
	if commutetest.Enabled() {
		rounds = 10
	}
	fmt.Println(rounds == 1000 || commutetest.Enabled())
	// Output: true
}
