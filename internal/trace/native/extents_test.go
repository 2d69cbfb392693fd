// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/check/aerodrome"
	"github.com/commutego/commute/internal/check/fasttrack"
	"github.com/commutego/commute/internal/check/frontier"
	"github.com/commutego/commute/internal/check/hb"
	"github.com/commutego/commute/internal/check/velodrome"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// bytewise is a random program's steps, and their events if each byte is a variable. The position
// of a step is its index and 1.
type bytewise struct {
	records []raw.Record
	threads []uint32
	events  []event.Event
	depth   [4]int
	vars    map[uint64]uint32 // by address; what is forgotten gets a new number
	next    uint32
}

func randomBytes(seed uint64) *bytewise {
	r := rand.New(rand.NewPCG(seed, 9))
	b := &bytewise{vars: make(map[uint64]uint32)}
	const base = 3*pageSize - 24
	sizes := []uint64{1, 1, 2, 4, 8, 8, 8, 16, 24, 40, 1100}
	for range 20 + r.IntN(300) {
		t := r.Uint32N(uint32(len(b.depth)))
		address, size := base+8*r.Uint64N(6), sizes[r.IntN(len(sizes))]
		if r.IntN(4) == 0 {
			address += r.Uint64N(8)
		}
		switch n := r.IntN(41); {
		case n == 40:
			b.step(t, event.AcquireAll)
		case n < 8:
			b.step(t, event.Acquire, uint64(r.IntN(2)))
			b.step(t, event.Release, b.records[len(b.records)-1].Args[0])
		case n < 12:
			b.step(t, event.Begin, 0)
		case n < 16 && b.depth[t] > 0:
			b.step(t, event.End, 0)
		case n < 18:
			b.step(t, event.Fresh, address, size)
		case n < 26:
			b.step(t, event.ReadRange, address, size)
		case n < 34:
			b.step(t, event.WriteRange, address, size)
		case n < 36:
			b.step(t, event.Read, address)
		default:
			b.step(t, event.Write, address)
		}
	}
	return b
}

func (b *bytewise) step(t uint32, kind spec.Kind, args ...uint64) {
	rec := raw.Record{Kind: kind, Pos: uint32(len(b.records)) + 1}
	copy(rec.Args[:], args)
	b.records = append(b.records, rec)
	b.threads = append(b.threads, t)
	e := event.Event{Thread: t, Pos: rec.Pos}
	size := uint64(1)
	switch kind {
	case event.Acquire, event.Release:
		e.Op, e.Target = kind, uint32(args[0])
		b.events = append(b.events, e)
		return
	case event.Begin, event.End:
		b.depth[t] += 1 - 2*int(kind-event.Begin)
		e.Op = kind
		b.events = append(b.events, e)
		return
	case event.AcquireAll:
		e.Op, e.Target = event.ReleaseMerge, 2 // a lock that is nothing else
		e.Flags |= event.Quiet
		for u := range b.depth {
			e.Thread = uint32(u)
			b.events = append(b.events, e)
		}
		e.Op, e.Thread = event.Acquire, t
		b.events = append(b.events, e)
		return
	case event.Fresh:
		for a := args[0]; a < args[0]+args[1]; a++ {
			delete(b.vars, a)
		}
		return
	case event.ReadRange, event.WriteRange:
		size = args[1]
		kind -= event.ReadRange - event.Read
	}
	e.Op = kind
	for a := args[0]; a < args[0]+size; a++ {
		if _, ok := b.vars[a]; !ok {
			b.vars[a] = b.next
			b.next++
		}
		e.Target = b.vars[a]
		b.events = append(b.events, e)
	}
}

// file is the steps as a trace.
func (b *bytewise) file(t *testing.T) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := raw.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var defs, steps raw.Builder
	defs.Reset(spec.Definitions, spec.Plain, 0)
	defs.Add(&raw.Record{Kind: event.Meta, Texts: [spec.MaxArgs]string{metaAddresses, "true"}})
	if err := w.Write(&defs.Chunk); err != nil {
		t.Fatal(err)
	}
	steps.Reset(spec.Events, spec.Plain, 0)
	for i := range b.records {
		steps.Add(&raw.Record{Kind: event.Go, Args: [spec.MaxArgs]uint64{uint64(b.threads[i])}})
		if err := steps.Add(&b.records[i]); err != nil {
			t.Fatal(err)
		}
	}
	steps.Low = steps.Next()
	if err := w.Write(&steps.Chunk); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// findings are what the checkers find, each with the positions that tell what it is.
func findings(events []event.Event) map[string][]string {
	found := make(map[string][]string)
	add := func(check string, f string) {
		if !slices.Contains(found[check], f) {
			found[check] = append(found[check], f)
		}
	}
	for name, c := range map[string]event.Checker{
		"frontier": frontier.New(nil), "velodrome": velodrome.New(nil),
		"aerodrome": aerodrome.New(nil), "aerodrome-basic": aerodrome.NewBasic(nil),
	} {
		for i := range events {
			if events[i].Flags&event.Quiet == 0 && c.Event(&events[i]) {
				v := c.Violation()
				add(name,
					fmt.Sprintf("transaction %d of thread %d, %v, from %d, at %d", v.Number,
						v.Thread, v.Marked, v.Pos, events[i].Pos))
			}
		}
	}
	all, first := hb.New(nil), fasttrack.New(nil)
	for i := range events {
		if all.Event(&events[i]) {
			add("hb", fmt.Sprint(events[i].Pos))
		}
		if first.Event(&events[i]) && len(found["fasttrack"]) == 0 {
			add("fasttrack", fmt.Sprint(events[i].Pos))
		}
	}
	return found
}

// TestExtents wants all checkers to find the same in a trace as if each byte were a variable,
// from fewer events.
func TestExtents(t *testing.T) {
	splits, events, single, verdicts := 0, 0, 0, make(map[string]int)
	count := uint64(500)
	if testing.Short() {
		count = 100
	}
	for seed := range count {
		b := randomBytes(seed)
		r, err := NewReader(bytes.NewReader(b.file(t)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(r, 3+int(seed%20))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range got {
			if got[i].Op == event.Split {
				splits++
			}
		}
		events += len(got)
		single += len(b.events)
		have, want := findings(got), findings(b.events)
		for check := range want {
			verdicts[check]++
		}
		for _, check := range []string{"frontier", "velodrome", "aerodrome", "aerodrome-basic",
			"hb", "fasttrack"} {
			if !slices.Equal(have[check], want[check]) {
				t.Fatalf("seed %d: %s finds\n%q\nwant\n%q", seed, check, have[check], want[check])
			}
		}
	}
	if splits == 0 || events*5 > single || len(verdicts) < 6 {
		t.Errorf("%d splits, %d events of %d with single bytes, findings of %v", splits, events,
			single, verdicts)
	}
}

// TestExtentsAreFew wants bytes that are always accessed together to be one variable, and memory
// that is renewed to leave nothing.
func TestExtentsAreFew(t *testing.T) {
	var b bytewise
	b.vars = make(map[uint64]uint32)
	for range 5 {
		b.step(1, event.WriteRange, 0x10000, 512)
		b.step(2, event.ReadRange, 0x10000, 512)
		b.step(1, event.WriteRange, 0x10200, 8)
		b.step(1, event.Fresh, 0x10000, 4096)
	}
	r, err := NewReader(bytes.NewReader(b.file(t)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(r, 100)
	if err != nil || len(got) != 15 {
		t.Errorf("%d events, %v, want 15", len(got), err)
	}
	if n := len(r.bytes.pages); n != 0 {
		t.Errorf("%d pages are left", n)
	}
}
