// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestRightAlone is right, but must not run twice at once: it makes a folder, and takes it away.
func TestRightAlone(t *testing.T) {
	dir := os.Getenv("COMMUTE_EXPLORE_ALONE")
	if dir == "" {
		t.Skip("nobody says in which folder")
	}
	if err := os.Mkdir(filepath.Join(dir, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(dir, "mine"))
	var mu sync.Mutex
	use := func() {
		for range 3 {
			mu.Lock()
			mu.Unlock()
		}
	}
	together(use, use, use)
}
