// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"slices"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// An outcome is what becomes of a batch. It is there when done is closed.
type outcome struct {
	done chan struct{}
	b    *batch
	err  error
}

// round runs batches, as many at once as there may be, and takes their results in order. It returns
// the runs of the last one. Those after the last batch that counts are given up.
func (e *exploration) round(list [][]job) (last []run, err error) {
	procs := max(1, e.plan.Procs)
	if e.alone || e.Arrivals > 0 {
		procs = 1 // the test may use what is there once
	}
	started := make([]*outcome, 0, len(list))
	wait := func() {
		for _, o := range started {
			<-o.done
		}
	}
	defer wait() // they are not killed: tests take away what they have made
	for i, jobs := range list {
		if e.over() || i > 0 && e.stale >= idle && !jobs[0].forced {
			e.lose(jobs)
			continue
		}
		for len(started) <= i || len(started) < min(len(list), i+procs) {
			started = append(started, e.begin(list[len(started)]))
		}
		o := started[i]
		<-o.done
		if o.err == nil && o.b.failed && len(list) > 1 && e.plan.Procs > 1 {
			wait() // a test may fail as it runs twice at once
			o = e.begin(jobs)
			<-o.done
			if o.err == nil && !o.b.failed {
				e.alone, procs = true, 1
			}
		}
		if o.err != nil {
			return nil, o.err
		}
		split := false
		if o.b.stopsShort() || o.b.failed && len(o.b.seeds) > 1 {
			if last, split, err = e.split(o.b, jobs); err != nil {
				return nil, err
			}
		}
		if split {
			continue
		}
		if last, err = e.take(o.b, jobs); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// before are runs that don't count, before those of a batch: policy Surw looks at one by default.
func (e *exploration) before(jobs []job) []Seed {
	surw := func(j job) bool { return j.seed.Policy == engine.Surw }
	if !e.single && !e.noLook && slices.ContainsFunc(jobs, surw) {
		return []Seed{{Policy: engine.First}}
	}
	return nil
}

// begin begins to run a batch.
func (e *exploration) begin(jobs []job) *outcome {
	o := &outcome{done: make(chan struct{})}
	seeds := e.before(jobs)
	for _, j := range jobs {
		seeds = append(seeds, j.seed)
	}
	go func() {
		defer close(o.done)
		free, err := e.plan.slot(stopped)
		if err != nil {
			if o.err = err; stopped.Err() != nil {
				o.err = errStopped
			}
			return
		}
		defer free()
		o.b, o.err = e.binary.batch(e.test, e.plan.Timeout, seeds)
	}()
	return o
}

// take takes the result of a batch, and returns its runs that count.
func (e *exploration) take(b *batch, jobs []job) ([]run, error) {
	n := len(b.seeds) - len(jobs)
	e.note(b, jobs, n)
	if b.failed {
		if err := e.failed(b); err != nil {
			return nil, err
		}
	}
	return b.runs[min(n, len(b.runs)):], nil
}

// failed notes that a batch has failed, unless another one has failed in the same way.
func (e *exploration) failed(b *batch) error {
	key := failureKey(e.test, b.output)
	if e.keys[key] {
		return nil
	}
	e.keys[key] = true
	first := e.Failure
	if err := e.fail(b); err != nil || first == nil {
		return err
	}
	e.More = append(e.More, e.Failure)
	e.Failure = first
	return nil
}
