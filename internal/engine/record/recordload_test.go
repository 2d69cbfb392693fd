// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/native"
)

// TestLoads has goroutines load words of a map. Those loads are recorded that may learn something.
func TestLoads(t *testing.T) {
	stop := recordTrace(t)
	g, h := startRecorded(), startRecorded()
	const word, other, sameEntry = 0x1000, 0x1008, 0x1000 + 8*maxLoads
	load := func(g *Recorded, addr uintptr) { g.RecordSync(addr, event.PlainLoad, 0) }
	want := ""
	wants := func(g *Recorded, op event.Kind) { want += fmt.Sprint(g.InTrace.Number, " ", op, ", ") }
	for range 3 {
		load(g, word)
		load(g, other)
	}
	wants(g, event.Acquire)
	wants(g, event.Acquire)
	load(h, word) // what g has loaded is nothing to h
	wants(h, event.Acquire)

	for _, kind := range []event.Kind{event.PlainStore, event.Release, event.ReleaseMerge} {
		op, _ := kind.Recorded()
		h.RecordSync(word, kind, 0)
		wants(h, op)
		for range 2 {
			load(g, word)
			load(g, other)
		}
		wants(g, event.Acquire)
	}
	for range 2 {
		load(g, sameEntry) // takes the place of word
		load(g, word)
		wants(g, event.Acquire)
		wants(g, event.Acquire)
	}
	g.TimerContext = true
	for range 2 {
		load(g, word)
		wants(g, event.Acquire)
	}
	g.Reset() // the context of another goroutine
	g.RecordStart(nil, 2, 0)
	load(g, word)
	wants(g, event.Acquire)

	got := ""
	r, err := native.NewReader(bytes.NewReader(stop()))
	if err != nil {
		t.Fatal(err)
	}
	events := make([]event.Event, 100)
	for {
		n, err := r.Read(events)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events[:n] {
			got += fmt.Sprint(e.Thread, " ", e.Op, ", ")
			if e.Op == event.Acquire && e.Flags&event.Hidden == 0 {
				t.Errorf("%+v is not hidden", e)
			}
		}
	}
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
