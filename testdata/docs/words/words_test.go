// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package words

import (
	"sync"
	"testing"
)

func TestAddFew(t *testing.T) {
	c := New()
	var all sync.WaitGroup
	for _, word := range []string{"one", "two"} {
		all.Go(func() { AddFew(c, word) })
	}
	all.Wait()
}
