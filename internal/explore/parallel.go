// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"slices"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// An outcome is what has become of a batch.
type outcome struct {
	b   *batch
	err error
}

// round runs batches, as many at once as there may be, and takes their results in order. It returns
// the runs of the last one. Those after the last batch that counts are given up.
func (e *exploration) round(list [][]job) (last []run, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	procs := max(1, e.plan.Procs)
	if e.alone || e.Arrivals > 0 {
		procs = 1 // the test may use what is there once
	}
	results := make([]chan outcome, len(list))
	started := 0
	for i, jobs := range list {
		if e.over() || i > 0 && e.stale >= idle && !jobs[0].forced {
			e.lose(jobs)
			continue
		}
		for ; started < len(list) && started < i+procs; started++ {
			results[started] = e.begin(ctx, list[started])
		}
		o := <-results[i]
		if o.err == nil && o.b.failed && procs > 1 && len(list) > 1 {
			o = <-e.begin(ctx, jobs) // a test may fail as it runs twice at once
			if o.err == nil && !o.b.failed {
				e.alone = true
			}
		}
		if o.err != nil {
			return nil, o.err
		}
		if last, err = e.take(o.b, jobs); err != nil {
			return nil, err
		}
	}
	cancel()
	for _, c := range results[:started] {
		if c != nil {
			<-c
		}
	}
	return last, nil
}

// before are runs that don't count, before those of a batch: policy Surw looks at one by default.
func before(jobs []job) []Seed {
	if slices.ContainsFunc(jobs, func(j job) bool { return j.seed.Policy == engine.Surw }) {
		return []Seed{{Policy: engine.First}}
	}
	return nil
}

// begin begins to run a batch.
func (e *exploration) begin(ctx context.Context, jobs []job) chan outcome {
	c := make(chan outcome, 1)
	seeds := before(jobs)
	for _, j := range jobs {
		seeds = append(seeds, j.seed)
	}
	go func() {
		defer close(c)
		free, err := e.plan.slot(ctx)
		if err != nil {
			c <- outcome{err: err}
			return
		}
		defer free()
		b, err := e.binary.process(processPlan{test: e.test, timeout: e.plan.Timeout,
			seeds: seeds, ctx: ctx})
		c <- outcome{b, err}
	}()
	return c
}

// take takes the result of a batch, and returns its runs that count.
func (e *exploration) take(b *batch, jobs []job) ([]run, error) {
	n := len(before(jobs))
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
