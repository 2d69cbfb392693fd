// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package avp

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// A Result has the violations and counts of a window.
type Result struct {
	Violations []*Violation // one for each three places; see Violation.Places
	Counts     Counts
	unproven   []error
	panicked   error
}

// slots has as many windows judged at once as there are processors, of all traces together.
var slots = make(chan struct{}, runtime.GOMAXPROCS(0))

// ahead is how many windows of a trace may wait for the first of them. It bounds memory.
var ahead = 2 * cap(slots)

// start has a window judged. The channel gets the result.
func start(w *Window, o *Options) chan *Result {
	done := make(chan *Result, 1)
	go func() {
		slots <- struct{}{}
		defer func() { <-slots }()
		done <- tryJudge(w, o)
	}()
	return done
}

// tryJudge is Judge, with a panic as a part of the result: it is for who wants that.
func tryJudge(w *Window, o *Options) (r *Result) {
	defer func() {
		if p := recover(); p != nil {
			r = &Result{panicked: fmt.Errorf("%v\n%s", p, debug.Stack())}
		}
	}()
	return w.Judge(*o)
}
