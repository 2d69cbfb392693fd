// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"bytes"
	"io"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
)

// TestProgress has a call end on one processor while another is under way elsewhere: what happens
// to that next has a number after the end, though its goroutine has numbers in hand.
func TestProgress(t *testing.T) {
	out := record(t, 0)
	on := uint32(0)
	host.Processor = func() uint32 { return on }
	defer func() { host.Processor = nil }()
	one, two := &Thread{Number: 1}, &Thread{Number: 2}
	Enter(one, 0, 0x1000, 1, 7)
	on = 1
	Call(two, 0, 0x1000, 1, 0)
	on = 0
	Progress(one, Left, 0)
	Stop()
	type step struct {
		kind event.Kind
		seq  uint64
	}
	var steps []step
	r, err := raw.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var rec raw.Record
		for cursor := c.Records(); cursor.Next(&rec) == nil; {
			switch rec.Kind {
			case event.Enter, event.Call, event.Value:
				steps = append(steps, step{rec.Kind, rec.Seq})
			}
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return int(a.seq) - int(b.seq) })
	var kinds []event.Kind
	for _, s := range steps {
		kinds = append(kinds, s.kind)
	}
	if want := []event.Kind{event.Enter, event.Call, event.Value}; !slices.Equal(kinds, want) {
		t.Errorf("steps in the order %v, want %v", kinds, want)
	}
}
