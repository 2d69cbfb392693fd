// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/spec"
)

// TestObjects has a reader be told of which channel synchronization is, what is added to a
// WaitGroup, and of failed attempts.
func TestObjects(t *testing.T) {
	stop := recordTrace(t)
	g, h := startRecorded(), startRecorded()
	if !Channel(g, 0x80, 0x800, 16) || Channel(new(Recorded), 0x80, 0, 0) {
		t.Error("of the second one nothing is recorded")
	}
	sync := func(g *Recorded, addr uint64) { recorder.Sync(event.Release, &g.InTrace, 0, addr) }
	sync(g, 0x808)
	sync(h, 0x800)
	sync(h, 0x900) // of something else
	Adding(h, 0x40, 3)
	FailedOn(g, 0x80, false)
	FailedOn(h, 0x80, true)
	Looking(h, 0xc0)
	Anywhere(g, h)
	sync(g, 0x81)

	r, err := native.NewReader(bytes.NewReader(stop()))
	if err != nil {
		t.Fatal(err)
	}
	r.WantCalls()
	events := make([]event.Event, 100)
	n, err := r.Read(events)
	if n != 7 || !r.Tables().Program.Objects {
		t.Fatalf("%v, %v", events[:n], err)
	}
	for i, e := range events[:n] {
		if apart := i >= 3 && i < 6; apart != (e.Op == event.Acquire && e.Target == trace.NoLock) ||
			apart && e.Flags&event.Silent == 0 {
			t.Errorf("event %d is %+v", i, e)
		}
	}
	var objects []string
	name := map[uint64]string{0x80: "channel", 0x40: "group", 0xc0: "other"}
	for _, s := range r.Calls() {
		of := func(number uint32) string {
			address, _ := r.Tables().Program.Address(true, number)
			return name[address]
		}
		switch s.What {
		case spec.Channel:
			objects = append(objects, of(s.Method))
		case spec.Adds:
			objects = append(objects, of(s.Object), "adds")
			if s.Touches != 3 {
				t.Errorf("%d are added", s.Touches)
			}
		case spec.FailsOn:
			objects = append(objects, of(s.Object), map[uint32]string{1: "alone"}[s.Touches])
		case spec.LooksAt:
			objects = append(objects, of(s.Object), "looked at")
		case spec.Anywhere:
			objects = append(objects, "anywhere")
		}
	}
	want := "[channel channel group adds channel  channel alone other looked at anywhere channel]"
	if got := fmt.Sprint(objects); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
