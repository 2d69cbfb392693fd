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
			mu.Unlock() //lint:ignore SA2001 what matters is to take it
		}
	}
	together(use, use, use)
}

// twice loses an update of one of two counters, in two ways.
func twice(t *testing.T, right bool) {
	var mu sync.Mutex
	var n [2]int
	add := func(i int) {
		mu.Lock()
		v := n[i]
		if !right {
			mu.Unlock()
			mu.Lock()
		}
		n[i] = v + 1
		mu.Unlock()
	}
	together(func() { add(0) }, func() { add(0) }, func() { add(1) }, func() { add(1) })
	if n[0] != 2 {
		t.Errorf("the first is lost")
	} else if n[1] != 2 {
		t.Errorf("the second is lost")
	}
}

func TestWrongTwice(t *testing.T) { wrong(t); twice(t, false) }
func TestRightTwice(t *testing.T) { twice(t, true) }
