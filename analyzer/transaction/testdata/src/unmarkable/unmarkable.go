// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarkable

import _ "unsafe"

/* // want "noBody has no body in Go that could be marked .mark what calls it." */ //atomic
func noBody()

/* // want "noSplit is //go:nosplit, so that nothing can be added to it .mark what calls it." */ //atomic
//
//go:nosplit
func noSplit() {}

/* // want "noRace is //go:norace, so that nothing can be added to it" */ //atomic
//
//go:norace
func noRace() {}

//go:nosplit
func block() {
	/* // want "block is //go:nosplit, so that nothing can be added to it" */ //atomic
	{
	}
	//atomic
	_ = func() {}
}

/* // want "T: A is //go:nosplit, so that nothing can be added to it .mark what calls it.; or except it with //commute:notatomic" */ //atomic
type T struct{}

//go:nosplit
func (T) A() {}

// B is excepted.
//
//go:nosplit
//commute:notatomic it is not ours
func (T) B() {}

func (T) C() {}

// atomic
//
//go:linkname pushed example.com/x.pushed
func pushed() {}
