// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"fmt"
	"sync/atomic"
	"time"

	"github.com/commutego/commute/internal/offline"
	"github.com/commutego/commute/report"
)

// Options say what [Check] does. The zero Options is what "commute analyze" does without flags.
type Options struct {
	// Checks are names of checks, as [Checks] has them. Without any, these are transactions, hb and
	// calls, or frontier, hb and commute where commute has not recorded the trace: one for each
	// thing that a trace may have data for.
	Checks []string

	// All goes on after a check's first finding: to every transaction that violates atomicity, and
	// of races to one for each two positions.
	All bool

	// Level says which commutativity races of a recorded trace count: "violations" (those that
	// break a check and act, observed or predicted), "updates" (all but arbitration, and but reads
	// beside writes of types whose specifications come with commute), "races" (all but
	// arbitration), or "all". "" is "updates".
	Level string

	// AnyOrder lets locks be acquired and released in any order, in STD and RoadRunner too.
	AnyOrder bool
}

// Checks are the names of all checks, which "commute help analyze" describes: frontier, velodrome,
// transactions, aerodrome and aerodrome-basic look for atomicity violations, hb and fasttrack for
// data races, commute and calls for races of calls, and metainfo counts what there is.
func Checks() []string { return offline.Names() }

// Check reads a trace and checks it, all checks in one pass, each on a goroutine of its own. It
// stops at the end of the trace, or, without Options.All, where each check has found something.
// Nothing may have been read of the trace before. The findings are in the result, by check.
//
// If the trace is ill-formed, or can't be read, Check returns an error, and what was found before.
//
// The default checks take constant time for most events, and time in proportion to the threads
// where one synchronizes. They keep nothing of an event: space depends on how many threads,
// variables and locks there are.
func Check(r *Reader, o Options) (*report.Trace, error) {
	if r.started {
		return nil, fmt.Errorf("%s: Check needs the trace from its beginning", r.file.Name)
	}
	run := offline.Options{All: o.All, Level: offline.Updates}
	if o.Checks != nil {
		var err error
		if run.Checks, err = offline.Named(o.Checks); err != nil {
			return nil, err
		}
	}
	if o.Level != "" {
		if run.Level = offline.Levels[o.Level]; run.Level == 0 {
			return nil, fmt.Errorf("unknown level %q (there are violations, updates, races, all)",
				o.Level)
		}
	}
	if o.AnyOrder {
		run.Mutexes = new(bool)
	}
	r.started = true
	var count atomic.Uint64
	start := time.Now()
	result, err := offline.Run(r.file, run, &count)
	if err != nil {
		err = explain(r.file.Name, err)
	}
	return result.Trace(r.file, time.Since(start), err), err
}
