// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import engine "github.com/commutego/commute/internal/engine/explore"

// A test that leaks a goroutine by default, and has no other mistake there, leaks one in nearly
// each run. That would be all that is ever found of it. So such a failure is put aside: the other
// runs look for no leaks, and it is reported at the end, with what they have found.

// putAside puts the failure of the run by default aside, if the run doesn't fail without the search
// for leaks. It returns that run, nil if it fails.
func (e *exploration) putAside() (*run, error) {
	if e.Failure == nil || e.plan.LeaksOff {
		return nil, nil
	}
	quiet := *e.binary
	quiet.leaksOff = true
	b, err := quiet.batch(e.test, e.plan.Timeout, []Seed{{Policy: engine.First}})
	if err != nil || b.failed || len(b.runs) != 1 {
		return nil, err
	}
	e.binary, e.leak, e.Failure = &quiet, e.Failure, nil
	return &b.runs[0], nil
}

// takeBack adds what was put aside to the failures.
func (e *exploration) takeBack() {
	switch {
	case e.leak == nil:
	case e.Failure == nil:
		e.Failure = e.leak
	default:
		e.More = append([]*Failure{e.Failure}, e.More...)
		e.Failure = e.leak
	}
}
