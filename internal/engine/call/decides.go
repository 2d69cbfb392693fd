// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/stack"
)

// Checks reports whether there may be acts that depend on what a call returned.
func (g *Caller) Checks(t *commrace.Table, check *commrace.Action) bool {
	return stack.Checks(t, check)
}

// Decides reports whether act, if it follows check on its goroutine, does so because of what that
// returned.
func (g *Caller) Decides(t *commrace.Table, check, act *commrace.Action) bool {
	return stack.Decides(t, check, act)
}
