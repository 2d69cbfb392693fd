// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"context"
	"testing"
	"time"
)

func cancelDone() edge {
	ctx, cancel := context.WithCancel(context.Background())
	return edge{cancel, func() { <-ctx.Done() }}
}

func TestNoRaceContextDone(t *testing.T) { ordered(cancelDone()) }
func TestRaceContextDone(t *testing.T)   { both(t, cancelDone) }

func cancelErr() edge {
	ctx, cancel := context.WithCancel(context.Background())
	return edge{cancel, func() { until(func() bool { return ctx.Err() != nil }) }}
}

func TestNoRaceContextErr(t *testing.T) { ordered(cancelErr()) }
func TestRaceContextErr(t *testing.T)   { both(t, cancelErr) }

func cancelCause() edge {
	ctx, cancel := context.WithCancelCause(context.Background())
	return edge{
		func() { cancel(context.DeadlineExceeded) },
		func() { until(func() bool { return context.Cause(ctx) != nil }) },
	}
}

func TestNoRaceContextCause(t *testing.T) { ordered(cancelCause()) }
func TestRaceContextCause(t *testing.T)   { both(t, cancelCause) }

func cancelParent() edge {
	parent, cancel := context.WithCancel(context.Background())
	ctx, stop := context.WithTimeout(parent, time.Hour)
	return edge{cancel, func() { <-ctx.Done(); stop() }}
}

func TestNoRaceContextParent(t *testing.T) { ordered(cancelParent()) }
func TestRaceContextParent(t *testing.T)   { both(t, cancelParent) }

func TestNoRaceContextDeadline(t *testing.T) {
	var o object
	o.write(1)
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(soon))
	defer cancel()
	together(func() { <-ctx.Done(); o.read() })
}

func TestRaceContextDeadline(t *testing.T) {
	var o object
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(soon))
	defer cancel()
	together(
		func() { <-ctx.Done(); o.read() },
		func() { <-ctx.Done(); o.write(1) },
	)
}

func TestNoRaceContextAfterFunc(t *testing.T) {
	var o object
	done := make(chan int)
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { o.read(); close(done) })
	o.write(1)
	cancel()
	<-done
}

func TestRaceContextAfterFunc(t *testing.T) {
	var o object
	done := make(chan int)
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { o.read(); close(done) })
	cancel()
	o.write(1)
	<-done
}

// Two goroutines that look at the same values and deadline aren't ordered by that.
func TestRaceContextValue(t *testing.T) {
	type key struct{}
	ctx := context.WithValue(context.Background(), key{}, 1)
	both(t, func() edge {
		var f flag
		return edge{
			func() { ctx.Value(key{}); f.raise() },
			func() { f.await(); ctx.Value(key{}) },
		}
	})
}

// A context that isn't done yet orders nothing.
func TestRaceContextNotDone(t *testing.T) {
	var o object
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var first flag
	look := func() {
		select {
		case <-ctx.Done():
		default:
		}
	}
	look()
	together(
		func() { o.write(1); look(); first.raise() },
		func() { first.await(); look(); o.read() },
	)
}
