// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package visits

import (
	"sync"
	"testing"
)

func TestVisits(t *testing.T) {
	var s Site
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.Visit("/") })
	}
	wg.Wait()
	s.Forget("/")
	if s.total != 0 {
		t.Errorf("%d visits are left", s.total)
	}
}
