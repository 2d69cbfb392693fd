// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

func readAnyLevel(settings *sync.Map) {
	var wg sync.WaitGroup
	wg.Go(func() { settings.Store("level", 2) })
	level, _ := settings.Load("level") // 1 or 2
	_ = level
	wg.Wait()
}

func readNewLevel(settings *sync.Map) {
	var wg sync.WaitGroup
	wg.Go(func() { settings.Store("level", 2) })
	wg.Wait()
	level, _ := settings.Load("level") // 2
	_ = level
}

func TestRaceStaleRead(t *testing.T) {
	var settings sync.Map
	settings.Store("level", 1)
	readAnyLevel(&settings)
}

func TestNoRaceStaleRead(t *testing.T) {
	var settings sync.Map
	settings.Store("level", 1)
	readNewLevel(&settings)
}
