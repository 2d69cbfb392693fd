// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/sync"
)

// cover notes, for coverage, a call of an object's method that is over, or an observation that
// begins. It comes before the call is checked: g learns of others by that.
func cover(g *Caller, o *sync.Object, c *commrace.Call) {
	sync.CoverCall(&g.Thread, o, c.Method, c.Beta, &c.Keys, c.CalledAt())
}

// coverObserved is cover for a call of a method with one key at most.
func coverObserved(
	g *Caller, o *sync.Object, method, beta uint32, key uint64, at commrace.Place,
) {
	if sync.Covers() {
		keys := [commrace.Keys]uint64{key}
		sync.CoverCall(&g.Thread, o, method, beta, &keys, at.Site)
	}
}
