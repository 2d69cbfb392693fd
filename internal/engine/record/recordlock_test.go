// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
)

// TestLocks wants what is told of locks in a trace, in order, before there is a transaction and
// after.
func TestLocks(t *testing.T) {
	stop := recordTrace(t)
	g, h := startRecorded(), startRecorded()
	tell := func() {
		g.RecordLocked(0x40, true, false)
		g.RecordLocked(0x40, false, true)
		g.RecordUnlocking(0x40, false, true)
		h.RecordUnlocking(0x50, true, false)
		h.RecordFailed()
		g.RecordPassing()
	}
	tell()
	g.RecordMeeting(h, 0x80)
	plain := &atomicity.AtomicCode{Name: "f", Pos: "a.go:1"}
	same := &atomicity.AtomicCode{Name: "g", Pos: "a.go:9", ValueIndependent: true}
	g.RecordBegin(plain)
	h.RecordBegin(same)
	tell()
	g.RecordMeeting(h, 0x80)

	type step struct {
		kind        event.Kind
		what, value uint64
	}
	meeting := []step{
		{kind: event.Release, what: 0x81}, {kind: event.ReleaseMerge, what: 0x81},
		{kind: event.Acquire, what: 0x81}, {kind: event.Acquire, what: 0x81},
	}
	told := func(from int64) []step {
		to := func(addr int64) uint64 { return uint64((addr-from)<<1^(addr-from)>>63) << 3 }
		return []step{
			{event.Value, recorder.Takes, to(0x40) | recorder.Reader},
			{event.Value, recorder.Takes, to(0x40) | recorder.Waits},
			{event.Value, recorder.Frees, to(0x40) | recorder.Direct},
			{event.Value, recorder.Frees, to(0x50) | recorder.Reader},
			{event.Value, recorder.Fails, 0},
			{event.Value, recorder.Passes, 0},
			{event.Value, recorder.Meets, uint64(h.InTrace.Number)},
		}
	}
	want := slices.Concat(told(0), meeting, []step{
		{kind: event.Begin, what: 1}, {kind: event.Begin, what: 2},
	}, told(0x81), meeting)
	var independent []uint64
	var steps []raw.Record
	r, err := raw.NewReader(bytes.NewReader(stop()))
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
			switch {
			case rec.Kind == event.Independent:
				independent = append(independent, rec.Args[0])
			case rec.Kind < event.Meta && rec.Kind > event.Seq:
				steps = append(steps, rec)
			}
		}
	}
	slices.SortFunc(steps, func(a, b raw.Record) int { return cmp.Compare(a.Seq, b.Seq) })
	var got []step
	for i := range steps {
		got = append(got, step{steps[i].Kind, steps[i].Args[0], steps[i].Args[1]})
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if !slices.Equal(independent, []uint64{2}) {
		t.Errorf("independent: %v, want 2", independent)
	}
}
