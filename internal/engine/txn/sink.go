// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package txn

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/finding"
)

// Wants reports whether a cycle is to be looked for of a transaction of g at p.
func (g *Transactor) Wants(p *atomicity.AtomicCode) bool {
	return finding.WantsCycle(p, g.Test.P())
}

// Cycle reports that a transaction of g, which has ended, is not serializable.
func (g *Transactor) Cycle(c *atomicity.Cycle) {
	finding.Cycle(c, g.Test.P())
}

// AtExit takes the cycles of transactions that run when the program ends; no test is charged.
type AtExit struct{}

// Wants reports true: each of these transactions is looked at once.
func (AtExit) Wants(*atomicity.AtomicCode) bool { return true }

// Cycle reports the cycle of a transaction.
func (AtExit) Cycle(c *atomicity.Cycle) {
	finding.Cycle(c, nil)
}
