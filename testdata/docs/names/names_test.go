// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package names

import (
	"sync"
	"testing"
)

func TestSet(t *testing.T) {
	for _, numbers := range [][]string{{"1", "2"}, {"7", "7"}} {
		t.Run(numbers[0], func(t *testing.T) {
			var names Names
			var all sync.WaitGroup
			for i, number := range numbers {
				all.Go(func() { names.Set(number, []string{"Ann", "Bob"}[i]) })
			}
			all.Wait()
		})
	}
}
