// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package split

import "testing"

func TestSet(*testing.T) {
	x := new(t)
	x.set(x.get() + 1)
	global.set(global.get() + 1)
}

var global = new(t)
