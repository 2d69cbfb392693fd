// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package steps

import (
	"strings"

	"github.com/commutego/commute/internal/check/reorder"
	"github.com/commutego/commute/internal/check/table"
	"github.com/commutego/commute/internal/trace"
)

// A place is what is known of the code at a position of the trace.
type place uint8

const (
	known  place = 1 << iota
	tries        // it takes a lock if that is free, and doesn't wait
	counts       // it is a method of sync.WaitGroup
)

// A places says of positions whose code they are. The function of the innermost frame tells.
type places []place

func (l *places) at(program *trace.Program, pos uint32) place {
	*l = table.Grow(*l, pos)
	p := &(*l)[pos]
	if *p == 0 {
		*p = known
		if stack := program.Stack(pos); len(stack) > 0 {
			fn, sync := strings.CutPrefix(stack[0].Func, "sync.(*")
			if sync && strings.HasPrefix(fn, "WaitGroup).") {
				*p |= counts
			}
			if sync && strings.Contains(fn, ").Try") {
				*p |= tries
			}
		}
	}
	return *p
}

// name adds to a step what the code at its position tells.
func (d *Decoder) name(s *reorder.Step, pos uint32) {
	switch s.Op {
	case reorder.Lock, reorder.RLock:
		s.Tries = d.places.at(d.program, pos)&tries != 0
	case reorder.Acquire, reorder.Merge:
		s.Counts = d.places.at(d.program, pos)&counts != 0
	}
}
