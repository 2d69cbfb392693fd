// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package lint

import "testing"

func TestStore(t *testing.T) {
	if _, ok := all.Load("t"); !ok {
		all.Store("t", 1)
	}
}
