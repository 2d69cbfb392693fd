// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"io"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/explore"
)

// TestTell has a line for each thing that is to be said of a test, and none for one that is the
// same in all processes.
func TestTell(t *testing.T) {
	b := bench{out: io.Discard}
	for _, c := range []struct {
		r    explore.Repeated
		want string
	}{
		{explore.Repeated{Processes: 9, Same: 9}, ""},
		{explore.Repeated{Killed: 1}, "TestX, GOMAXPROCS=1: takes too long\n"},
		{explore.Repeated{Processes: 9, Same: 9, Failed: 2},
			"TestX, GOMAXPROCS=1: fails in 2 of 9 processes\n"},
		{explore.Repeated{Processes: 9, Same: 7, Arrivals: 3, Differ: "here\n"},
			"TestX, GOMAXPROCS=1: 7 of 9 processes the same, 3 arrivals\nhere\n"},
	} {
		var notes strings.Builder
		if b.tell(&notes, "TestX", "1", c.r); notes.String() != c.want {
			t.Errorf("%+v: %q, want %q", c.r, notes.String(), c.want)
		}
	}
}

// TestFlags refuses what is wrong before anything is built.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"-policies", "again,none"}, {"-skip", "("}, {"-no"}} {
		if err := mainErr(args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
