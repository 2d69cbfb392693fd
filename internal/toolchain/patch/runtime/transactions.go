// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Where code that is marked as atomic begins and ends.

import _ "unsafe" // for linkname

// A commute_transaction is one run of such code, on the stack of its function, or wherever the compiler puts
// that variable.
type commute_transaction struct{ state [4]uintptr }

// A commute_atomic is such code. Pos is "file:line".
type commute_atomic struct{ name, pos string }

// commute_atomicBegin comes where it begins; t is zero.
//
//go:linkname commute_atomicBegin
func commute_atomicBegin(t *commute_transaction, a *commute_atomic) { t.state[0]++ }

// commute_atomicEnd comes where it ends. It may come again, or for a t that has not begun.
//
//go:linkname commute_atomicEnd
func commute_atomicEnd(t *commute_transaction) {
	if t.state[0] > 0 {
		t.state[0]--
	}
}
