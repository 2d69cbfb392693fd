// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

func waitGroup() edge {
	wg := new(sync.WaitGroup)
	wg.Add(1)
	return edge{wg.Done, wg.Wait}
}

func TestNoRaceWaitGroup(t *testing.T) { ordered(waitGroup()) }
func TestRaceWaitGroup(t *testing.T)   { both(t, waitGroup) }

func TestNoRaceWaitGroupGo(t *testing.T) {
	var o object
	var wg sync.WaitGroup
	wg.Go(func() { o.write(1) })
	wg.Wait()
	o.read()
}

func TestRaceWaitGroupGo(t *testing.T) {
	var o object
	var wg sync.WaitGroup
	wg.Go(func() { o.write(1) })
	o.read()
	wg.Wait()
}

// Every Done comes before the Wait, not only the last.
func TestNoRaceWaitGroupMany(t *testing.T) {
	var o, p object
	var wg sync.WaitGroup
	wg.Go(func() { o.write(1) })
	wg.Go(func() { p.write(1) })
	wg.Wait()
	o.read()
	p.read()
}

// One Done doesn't come before another.
func TestRaceWaitGroupMany(t *testing.T) {
	var o object
	var first flag
	var wg sync.WaitGroup
	wg.Add(2)
	together(
		func() { o.write(1); wg.Done(); first.raise() },
		func() { first.await(); wg.Done(); o.read() },
	)
}

func TestNoRaceErrgroup(t *testing.T) {
	var o object
	var g errgroup.Group
	g.Go(func() error { o.write(1); return nil })
	_ = g.Wait()
	o.read()
}

func TestRaceErrgroup(t *testing.T) {
	var o object
	var g errgroup.Group
	g.Go(func() error { o.write(1); return nil })
	g.Go(func() error { o.read(); return nil })
	_ = g.Wait()
}

// With a limit of one, a goroutine starts after the one before has ended.
func TestNoRaceErrgroupLimit(t *testing.T) {
	var o object
	var g errgroup.Group
	g.SetLimit(1)
	g.Go(func() error { o.write(1); return nil })
	g.Go(func() error { o.read(); return nil })
	_ = g.Wait()
}
