// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// A panicking check panics when it has taken some batches.
type panicking struct{ left int }

func (c *panicking) take([]event.Event, bool, func(Finding)) bool {
	if c.left--; c.left < 0 {
		panic("take")
	}
	return false
}

func (c *panicking) end(bool, func(Finding)) { panic("end") }

// TestGuarded has a check panic at the first events, later on, and at the end, in a trace that has
// many more batches than there are buffers. The error says so, and the other check is done.
func TestGuarded(t *testing.T) {
	frontier, _ := Find("frontier")
	text := strings.Repeat("T1|begin|1\nT1|w(x)|2\nT1|end|3\n", 50_000) +
		"T1|begin|4\nT1|r(x)|5\nT2|w(x)|6\nT1|w(x)|7\nT1|end|8\n"
	for left, want := range map[int]string{0: "take", 5: "take", 1000: "end"} {
		f, err := tracefile.New(strings.NewReader(text), "x.std", "")
		if err != nil {
			t.Fatal(err)
		}
		bad := Check{"bad", "", 0, func(*event.Relation) checker { return &panicking{left} }}
		var n atomic.Uint64
		o := Options{Checks: []Check{bad, frontier}, Guarded: true, All: true}
		r, err := Run(f, o, &n)
		p := new(Panic)
		if !errors.As(err, &p) || p.Check != "bad" || fmt.Sprint(p.Value) != want ||
			!strings.Contains(string(p.Stack), "panicking") {
			t.Errorf("after %d batches: error %v, want panic: %s", left, err, want)
		}
		if len(r.Checks[1].Findings) != 1 {
			t.Errorf("after %d batches: the other check has %v", left, r.Checks[1].Findings)
		}
	}
}
