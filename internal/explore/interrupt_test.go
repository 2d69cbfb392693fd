// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package explore

import (
	"context"
	"errors"
	"testing"
)

// TestInterrupt has the first run of a test interrupt exploring, and then wait: it is ended, and
// counts as no failure.
func TestInterrupt(t *testing.T) {
	defer stopWhenAsked()()
	defer func() { stopped = context.Background() }()
	b := &Binary{Path: "m.test", Exec: []string{"/bin/sh", "-c",
		"kill -INT $PPID; exec sleep 1000", "sh"}}
	r, err := Explore(b, Plan{Runs: 64, Base: 1, Package: "example.com/m"}, "TestX")
	if !errors.Is(err, errStopped) || r.Failure != nil {
		t.Fatalf("%v: %+v", err, r)
	}
	if got := r.interrupted(Plan{Package: "example.com/m"}); got !=
		"note example.com/m: interrupted in TestX, after 0 runs" {
		t.Error(got)
	}
	if _, err := b.Tests(); !errors.Is(err, errStopped) {
		t.Errorf("after that tests are listed: %v", err)
	}
	if _, err := b.perturbed(Plan{}, "TestX", 1); !errors.Is(err, errStopped) {
		t.Errorf("after that a run is perturbed: %v", err)
	}
}
