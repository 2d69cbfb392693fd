// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"

	"golang.org/x/sync/singleflight"
)

// There is no race of a Group to be reported: what its calls are raced for is their purpose.

func TestNoRaceSingleflightDo(t *testing.T) {
	var g singleflight.Group
	both(func(i int) { _, _, _ = g.Do("k", func() (any, error) { return i, nil }) })
}

func TestNoRaceSingleflightForget(t *testing.T) {
	var g singleflight.Group
	both(func(i int) {
		_, _, _ = g.Do("k", func() (any, error) { return i, nil })
		g.Forget("k")
	})
}

// TestNoRaceSingleflightResult has a result that both use, whoever made it.
func TestNoRaceSingleflightResult(t *testing.T) {
	var g singleflight.Group
	both(func(i int) {
		v, _, _ := g.Do("k", func() (any, error) {
			m := new(sync.Map)
			m.Store("owner", i)
			return m, nil
		})
		v.(*sync.Map).Load("owner")
	})
}

// TestRaceSingleflightInside has a function that races with the program.
func TestRaceSingleflightInside(t *testing.T) {
	var g singleflight.Group
	var m sync.Map
	concurrently(func() {
		_, _, _ = g.Do("k", func() (any, error) {
			m.Store("k", 1)
			return nil, nil
		})
	}, func() { m.Store("k", 2) })
}

// TestRaceSingleflightOtherKeys has functions that nothing orders.
func TestRaceSingleflightOtherKeys(t *testing.T) {
	var g singleflight.Group
	var m sync.Map
	both(func(i int) {
		_, _, _ = g.Do([]string{"a", "b"}[i], func() (any, error) {
			m.Store("k", i)
			return nil, nil
		})
	})
}

// TestRaceSingleflightAfter has calls after those of a Group with other keys.
func TestRaceSingleflightAfter(t *testing.T) {
	var g singleflight.Group
	var m sync.Map
	both(func(i int) {
		_, _, _ = g.Do([]string{"a", "b"}[i], func() (any, error) { return nil, nil })
		m.Store("k", i)
	})
}
