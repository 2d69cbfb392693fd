// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// What package commutetest takes from the runtime, by linkname; see also commute_atomicCall.

import _ "unsafe"

// commute_expect comes before a function in which a finding of that kind has to be made. It returns
// the number of its scope, 0 if nothing of that kind is looked for.
//
//go:linkname commute_expect
func commute_expect(kind uint32) (scope uint32) {
	if !commute_memory && kind > commute_tests_ExpectCheckThenAct {
		return 0
	}
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		scope = commute_ctx(ctx).Expect(kind)
		releasem(mp)
	}
	return scope
}

// commute_ignore comes before a function in which nothing is to be reported. It returns the number
// of its scope, 0 if it needs none.
//
//go:linkname commute_ignore
func commute_ignore() (scope uint32) {
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		scope = commute_ctx(ctx).Ignore()
		releasem(mp)
	}
	return scope
}

// commute_leaveScope comes after the function, however it ended. It reports whether the finding
// that was expected has been made.
//
//go:linkname commute_leaveScope
func commute_leaveScope(scope uint32) (found bool) {
	if ctx := getg().racectx; ctx != 0 {
		mp := acquirem()
		found = commute_ctx(ctx).LeaveScope(scope)
		releasem(mp)
	}
	if commute_finding_Halting() {
		commute_halt()
	}
	return found
}
