// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import "testing"

// TestGlobalIsDirected has a directive at a variable that only its address tells.
func TestGlobalIsDirected(t *testing.T) {
	restore(t)
	Global(0x5000, 48, "m\tcache\tm.go:3")
	Register("concurrent\tm\tcache\tm.go\t3\twhy\tt\n")
	d, _ := globalAt(0x5008)
	put, _, _ := appMain()
	if !directed("concurrent", put.top(""), &d) {
		t.Error("the directive doesn't apply")
	}
}
