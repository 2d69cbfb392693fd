// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"sync"
	"testing"
)

// wrong skips a test that may fail, unless its schedules are explored.
func wrong(t *testing.T) {
	if os.Getenv("COMMUTE_EXPLORE") == "" {
		t.Skip("it may fail: run it with commute test -explore")
	}
}

// together runs functions, each in a goroutine of its own, and waits for them.
func together(list ...func()) {
	var wg sync.WaitGroup
	for _, f := range list {
		wg.Go(f)
	}
	wg.Wait()
}
