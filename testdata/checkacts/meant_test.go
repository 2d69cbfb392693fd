// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package checkacts

import (
	"sync"
	"testing"
)

// lastWins is meant to be raced for.
type lastWins struct {
	m sync.Map //commute:concurrent the last one wins
}

func TestNoRaceMeant(*testing.T) {
	c := new(lastWins)
	after(func(func()) { c.m.Store("k", 1) }, func() { c.m.Store("k", 2) })
}

// But who checks wants to know.
func TestRaceMeantButChecked(*testing.T) {
	c := new(lastWins)
	between(func(pause func()) {
		if _, ok := c.m.Load("k"); !ok {
			pause()
			c.m.Store("k", 1)
		}
	}, func() { c.m.Store("k", 2) })
}

func TestNoRaceIgnoredCheck(*testing.T) {
	c := new(lastWins)
	after(func(pause func()) {
		_, ok := c.m.Load("k") //commute:ignore either value will do
		if !ok {
			c.m.Store("k", 1)
		}
	}, func() { c.m.Store("k", 2) })
}

func TestNoRaceIgnoredAct(*testing.T) {
	c := new(lastWins)
	after(func(pause func()) {
		if _, ok := c.m.Load("k"); !ok {
			c.m.Store("k", 1) //commute:ignore either value will do
		}
	}, func() { c.m.Store("k", 2) })
}

func TestNoRaceIgnoredIntruder(*testing.T) {
	c := new(lastWins)
	after(func(pause func()) {
		if _, ok := c.m.Load("k"); !ok {
			c.m.Store("k", 1)
		}
	}, func() {
		c.m.Store("k", 2) //commute:ignore either value will do
	})
}
