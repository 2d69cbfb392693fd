// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/counts"
	"github.com/commutego/commute/internal/engine/coverage"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/tests"
	"github.com/commutego/commute/internal/engine/text"
	"github.com/commutego/commute/internal/engine/txn"
)

// Exiting notes that the program ends with a status, and returns the status to end with. Findings
// may not be written yet.
func Exiting(status int32) int32 {
	option.Ready()
	whole := record.Stop()
	instance.Transactions.Flush(txn.AtExit{})
	finding.Predictions()
	counts.Write(whole, finding.List)
	coverage.Write()
	n := finding.Close()
	if status == 0 && n > 0 {
		return option.Current.Exit
	}
	if status == 0 && !whole {
		return 2
	}
	return status
}

// WatchMemory notes that accesses to memory are watched. It is called before all else. It also
// connects packages to functions of packages above them.
func WatchMemory() {
	sync.WatchMemory = true
	instance.Transactions.AllocSite = text.AllocSiteOf
	instance.Predictor.Last, datarace.Counts = datarace.Written, source.Counts
	record.Start()
}

// Errors is what package testing takes for the number of races so far: it fails a test during which
// this grew. It is the number of the last finding that g's test was charged with. Outside of all
// tests it is the number of the last finding: a finding that is charged to no test fails the run as
// a whole.
func (g *Goroutine) Errors() int {
	finding.Predictions() // they may be of accesses after which no lock was released
	if g == nil {
		return int(tests.Charges.Last.Load())
	}
	t := g.Test.P().Charged()
	if t == nil {
		return int(tests.Charges.Last.Load())
	}
	return int(t.Charge.Load())
}

// ReportsTo redirects reports from standard error to another file.
func ReportsTo(fd uintptr) {
	option.Ready()
	if option.Current.Out == 2 {
		option.Current.Out = fd
	}
}

// Told is the number of findings that were reported during g's test; 0 outside of all tests.
func (g *Goroutine) Told() int {
	if g == nil {
		return 0
	}
	if t := g.Test.P().Charged(); t != nil {
		return int(t.Told.Load())
	}
	return 0
}
