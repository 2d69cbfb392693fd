// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package offline runs checkers over recorded traces: several in one pass.
//
// Input: a trace (package tracefile) and the checks to make. Output: the findings of each check.
package offline

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/commutego/commute/internal/check/avp"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracefile"
	"github.com/commutego/commute/report"
)

// Options of [Run].
type Options struct {
	Checks  []Check // nil: the default
	All     bool    // go on after a check's first finding
	Mutexes *bool   // see trace.Validate
	Level   Level   // of races of calls in recorded traces
	Rules   Rules   // suppressions of findings in them
	AVP     avp.Options
	Judge   func(n int, w *avp.Window) *avp.Result // see avp.Checker.JudgeBy; may be nil
	// Guarded turns a panic of a check into an error of the trace, so that the program doesn't end.
	Guarded bool
}

// A Result has the findings of one pass over a trace.
type Result struct {
	Events uint64 // that were read
	Checks []CheckResult
}

// A CheckResult has the findings of one check.
type CheckResult struct {
	Name     string
	Findings []Finding
	MetaInfo *MetaInfo      // of check metainfo
	Blocks   *report.Blocks // of check avp
	Proofs   *Proofs        // of a check that proves
	GaveUp   *bool          // of check goodlock: there may be more deadlocks
	Data     bool           // the trace has events that the check needs
}

// batchSize is a number of events which, with what checkers know, stay in a processor's cache.
const batchSize = 4096

// A batch of events goes to all checkers, and back to the pool from the last of them. The relation
// is that of the points that were defined when the events had been read: checkers lag behind the
// reader, and each other.
type batch struct {
	events   []event.Event
	steps    []trace.CallStep // of the same part of the trace
	sections []trace.SectionStep
	relation *event.Relation
	buf      [batchSize]event.Event
	users    atomic.Int32
}

// maxBatches is the number of batches in use at a time. With several, a checker may lag behind
// another.
const maxBatches = 8

// Run reads a trace and checks it. Another goroutine may read the count of events at the same time.
// If a trace is ill-formed, the result has the findings before the error.
func Run(f *tracefile.File, o Options, count *atomic.Uint64) (*Result, error) {
	if o.Checks == nil {
		o.Checks = Default(f)
	}
	for _, c := range o.Checks {
		if err := provable(f, o.Mutexes); err != nil && c.needsMutexes() {
			return new(Result), fmt.Errorf("%s: -check=%s: %w", f.Name, c.Name, err)
		}
	}
	f.Validate(o.Mutexes)
	pool := make(chan *batch, maxBatches)
	for range maxBatches {
		pool <- new(batch)
	}
	var wg sync.WaitGroup
	var busy atomic.Int32 // checks that want more
	result := &Result{Checks: make([]CheckResult, len(o.Checks))}
	feeds := make([]chan *batch, len(o.Checks))
	failed := make([]error, len(o.Checks))
	busy.Store(int32(len(o.Checks)))
	for i, check := range o.Checks {
		relation := new(event.Relation) // the checker's own: nobody else reads it
		c := check.fresh(relation)
		switch c := c.(type) {
		case *raceChecker:
			c.program, c.level, c.rules = f.Tables().Program, o.Level, o.Rules
		case *atomicityChecker:
			c.program, c.rules = f.Tables().Program, o.Rules
		case *callChecker:
			c.rules = o.Rules
			c.start(f.Tables().Program, o.Level)
			f.WantCalls()
		case *transactionChecker:
			c.rules = o.Rules
			c.start(f.Tables().Program)
			f.WantCalls()
		case *predictionChecker:
			c.rules = o.Rules
			c.start(f.Tables().Program)
			f.WantCalls()
		case *avpChecker:
			c.start(f, o)
		case *proofChecker:
			c.start(f, o)
		case *deadlockChecker:
			c.start(f, o)
		case *sectionChecker:
			c.rules = o.Rules
			c.start(f.Tables().Program, o.Level)
			c.besides = slices.ContainsFunc(o.Checks, func(c Check) bool {
				return c.Name == "transactions"
			})
			f.WantSections()
		}
		r := &result.Checks[i]
		r.Name = check.Name
		r.MetaInfo, _ = c.(*MetaInfo)
		switch c := c.(type) {
		case *proofChecker:
			r.Proofs = c.proofs
		case *deadlockChecker:
			r.GaveUp = c.gaveUp
		}
		feeds[i] = make(chan *batch, maxBatches)
		wg.Go(func() {
			enough := false
			found := func(f Finding) { r.Findings = append(r.Findings, f) }
			steps, _ := c.(stepChecker)
			sections, _ := c.(*sectionChecker)
			for b := range feeds[i] {
				if b.relation != nil {
					*relation = *b.relation
				}
				if steps != nil {
					steps.setSteps(b.steps)
				}
				if sections != nil {
					sections.steps = b.sections
				}
				if !enough {
					failed[i] = o.guard(check.Name, func() {
						enough = c.take(b.events, o.All, found)
					})
					if enough = enough || failed[i] != nil; enough {
						busy.Add(-1)
					}
				}
				if b.users.Add(-1) == 0 {
					pool <- b
				}
			}
			if enough {
				found = func(Finding) {}
			}
			if ender, ok := c.(interface{ end(bool, func(Finding)) }); ok && failed[i] == nil {
				failed[i] = o.guard(check.Name, func() { ender.end(o.All, found) })
			}
			if c, ok := c.(*avpChecker); ok {
				r.Blocks = c.blocks()
			}
		})
	}
	seen, err := feed(f, feeds, pool, &busy, count)
	for _, c := range feeds {
		close(c)
	}
	wg.Wait()
	result.Events = count.Load()
	for i, c := range o.Checks {
		result.Checks[i].Data = c.about == 0 || c.about&seen != 0
		switch p := f.Tables().Program; c.Name {
		case "calls":
			result.Checks[i].Data = result.Checks[i].Data && p != nil && p.Calls
		case "predictions":
			result.Checks[i].Data = result.Checks[i].Data && predictable(p)
		case "avp":
			result.Checks[i].Data = result.Checks[i].Data && reorderable(f)
		case "sections":
			result.Checks[i].Data = p.HasSections()
		}
	}
	violate(f.Tables().Program, result.Checks)
	dropObserved(result.Checks)
	dropViolated(result.Checks, o.All)
	if err == nil {
		err = errors.Join(failed...)
	}
	return result, err
}

// A Panic is the error for a check that has panicked.
type Panic struct {
	Check string
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprintf("check %s: panic: %v", p.Check, p.Value) }

// guard calls a function of a check.
func (o *Options) guard(check string, do func()) (err error) {
	if o.Guarded {
		defer func() {
			if p := recover(); p != nil {
				err = &Panic{check, p, debug.Stack()}
			}
		}()
	}
	do()
	return nil
}

// feed hands events on to all checks, and returns which operations there were.
func feed(f *tracefile.File, feeds []chan *batch, pool chan *batch, busy *atomic.Int32,
	count *atomic.Uint64) (seen ops, err error) {
	for busy.Load() > 0 {
		b := <-pool
		n, err := f.Read(b.buf[:])
		if err == io.EOF {
			break
		}
		if err != nil {
			return seen, err
		}
		count.Add(uint64(n))
		b.events, b.relation = b.buf[:n], f.Tables().Relation
		b.steps, b.sections = f.CallSteps(), f.SectionSteps()
		for i := range b.events {
			seen |= 1 << b.events[i].Op
		}
		b.users.Store(int32(len(feeds)))
		for _, c := range feeds {
			c <- b
		}
	}
	return seen, nil
}
