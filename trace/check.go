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

// Options are the options of [Check]. The zero Options has the defaults of "commute analyze".
type Options struct {
	// Checks are names of checks, as [Checks] has them. If there are none, the default checks are
	// made: transactions, predictions, hb, calls and sections if commute has recorded the trace,
	// and frontier, hb and commute otherwise.
	Checks []string

	// All makes a check go on after its first finding. It then reports every transaction that
	// violates atomicity, and one race for each two positions.
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
// transactions, aerodrome and aerodrome-basic find atomicity violations, hb and fasttrack find data
// races, commute and calls find races of calls, and metainfo counts events, threads and the like.
func Checks() []string { return offline.Names() }

// Check reads a trace and checks it, all checks in one pass, each on a goroutine of its own. It
// stops at the end of the trace, or, without Options.All, where each check has found something.
// Nothing may have been read of the trace before. The findings are in the result, by check.
//
// If the trace is ill-formed, or can't be read, Check returns an error, and the findings before the
// error.
//
// The default checks take constant time for most events, and time linear in the number of threads
// for synchronization. They don't keep events: space depends on the numbers of threads, variables
// and locks.
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
