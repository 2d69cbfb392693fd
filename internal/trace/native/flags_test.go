// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
)

// TestFlags writes events with flags, as a part of a recorded trace has them, and wants them back.
// A trace without flags has positions as great as they come.
func TestFlags(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 200 {
		flagged := round%2 == 0
		var events []event.Event
		for i := range uint32(1 + r.IntN(50)) {
			ops := []event.Kind{event.Read, event.Write, event.Acquire, event.Release,
				event.ReleaseMerge, event.Fork, event.Split}
			e := event.Event{Op: ops[r.IntN(len(ops))], Thread: r.Uint32N(3), Target: r.Uint32N(5),
				Pos: r.Uint32()}
			switch e.Op {
			case event.Fork:
				e.Target = i + 3
			case event.Split:
				e.Point, e.Pos = (e.Target+1+r.Uint32N(4))%5, 0
			}
			if flagged {
				e.Pos %= maxPositions
			}
			if flagged && e.Op != event.Split {
				e.Flags = event.Flags(r.IntN(int(event.Only | event.Silent + 1)))
			}
			events = append(events, e)
		}
		tables := trace.NewTables()
		tables.Program = trace.NewProgram()
		tables.Program.Flagged = flagged
		reader, err := NewReader(bytes.NewReader(write(t, tables, 0, events)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(reader, 3+r.IntN(20))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, events) {
			t.Fatalf("flags %v: got\n%+v\nwant\n%+v", flagged, got, events)
		}
	}
}
