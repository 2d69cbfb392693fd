// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package cache

import (
	"sync"
	"testing"
)

// The test passes under go test and go test -race, and fails under commute test.
func TestGet(t *testing.T) {
	c := New(func(key string) any { return &key })
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if c.Get("key") == nil {
				t.Error("no value")
			}
		})
	}
	all.Wait()
}
