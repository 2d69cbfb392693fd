// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// Some tests fail when they are run again in a process, by any schedule: they register a name, for
// instance. Others are not run again: package testing makes no further run when a test inside of
// the test has failed, as it is to. Each run of such a test has a process of its own.

// stopsShort reports whether a process has passed without all of its runs.
func (b *batch) stopsShort() bool {
	return !b.failed && len(b.runs) > 0 && len(b.runs) < len(b.seeds)
}

// failsTwice reports whether the test fails by default when it is run as often as a batch has, in
// one process. By default, a single run passes.
func (e *exploration) failsTwice(b *batch) (bool, error) {
	n := len(b.runs)
	if n < 2 || e.Runs == 0 {
		return false, nil
	}
	again, err := e.binary.batch(e.test, e.plan.Timeout,
		slices.Repeat([]Seed{{Policy: engine.First}}, n))
	return err == nil && again.failed && len(again.runs) > 1, err
}

// split splits a batch that has failed, or has stopped short, if its runs can't share a process. It
// reports whether they can't, and how they were made one by one.
func (e *exploration) split(b *batch, jobs []job) (last []run, done bool, err error) {
	if e.single = e.single || b.stopsShort(); !e.single {
		if e.single, err = e.failsTwice(b); err != nil || !e.single {
			return nil, false, err
		}
	}
	for i := range jobs {
		if e.over() {
			e.lose(jobs[i:])
			break
		}
		o := e.begin(jobs[i : i+1])
		<-o.done
		if o.err != nil {
			return nil, true, o.err
		}
		if last, err = e.take(o.b, jobs[i:i+1]); err != nil {
			return nil, true, err
		}
	}
	return last, true, nil
}
