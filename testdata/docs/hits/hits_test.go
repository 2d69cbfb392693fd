// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package hits

import (
	"sync"
	"testing"
)

func TestAdd(t *testing.T) {
	h := New("home")
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() { h.Add() })
	}
	all.Wait()
}
