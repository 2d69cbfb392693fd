// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/coverage"
	"github.com/commutego/commute/internal/engine/deadlock"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
)

// Coverage: which pairs of operations are run (package coverage). It takes the goroutine's own
// clock, and the page of an object or a lock. A lock is an object there, of a type without methods.

// Covers reports whether pairs of operations are noted.
func Covers() bool { return sides.Load()&covered != 0 }

// SetCovers says whether they are noted from now on. Only tests take it back.
func SetCovers(on bool) { setSide(covered, on) }

// CoverCall notes a call of an object's method by g, which has learned nothing by it yet. The
// standard library's own objects are left out.
func CoverCall(g *Thread, o *Object, method, beta uint32, keys *[commrace.Keys]uint64,
	site uintptr) {
	if o.StdOwned() || g.TimerContext {
		return
	}
	coverage.ThreadAt(&g.covered).Called(coverage.ObjectAt(&o.covered), &g.Clock, host.Goid(),
		o.Table(), method, beta, keys, site)
}

// lockType is the type that locks have as objects.
var lockType commrace.Table

// coverLock notes that g has taken a lock at a place, if the program itself takes it.
func coverLock(g *Thread, lock uintptr, m deadlock.Mode, at *deadlock.Place) {
	if g.TimerContext {
		return
	}
	for _, pc := range at.PCs {
		if pc == 0 {
			return
		}
		switch source.TakerOf(pc) {
		case source.TakerLibrary:
			return
		case source.TakerProgram:
			p := g.Pages.Make(lock)
			o := p.findObject(lock, &lockType)
			if o == nil {
				o = p.addObject(lock, &lockType, true)
			}
			coverage.ThreadAt(&g.covered).Locked(coverage.ObjectAt(&o.covered), host.Goid(),
				m&deadlock.Read != 0, m&deadlock.Shared != 0, pc)
			return
		}
	}
}
