// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import "runtime"

// A flag forces an order without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}
