// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// slow is the events of a chunk of records in order, by package raw.
func slow(c *raw.Chunk) (events []event.Event, err error) {
	cursor := c.Records()
	var rec raw.Record
	var thread uint32
	named := false
	targets := make(map[objectKey]uint32)
	calls := make(map[uint32]raw.Record) // the last one of each thread
	program := trace.NewProgram()
	for {
		if err := cursor.Next(&rec); err == io.EOF {
			return events, nil
		} else if err != nil {
			return nil, err
		}
		e := event.Event{Thread: thread, Target: uint32(rec.Args[0]), Pos: rec.Pos}
		before := len(events)
		switch rec.Kind {
		case event.Go:
			thread, named = uint32(rec.Args[0]), true
			if rec.Args[0] >= maxThreads {
				return nil, errors.New("great")
			}
		case event.Seq:
			if int64(rec.Args[0]) < 0 {
				return nil, errors.New("order")
			}
		case event.ReadRange, event.WriteRange, event.AcquireAll, event.Hide, event.Show:
			return nil, errors.New("names by addresses")
		case event.AtomicRMW:
			e.Op = event.Acquire
			events = append(events, e)
			e.Op = event.ReleaseMerge
			events = append(events, e)
		case event.Begin, event.End:
			e.Op, e.Target = rec.Kind, 0
			if n := rec.Args[0]; rec.Kind == event.Begin && n != 0 && n < maxDescribed {
				e.Pos = program.Section(e.Pos, uint32(n))
			}
			events = append(events, e)
		case event.Touch, event.TouchKey:
			k := objectKey{rec.Args[0], rec.Args[2], rec.Kind == event.TouchKey}
			n, ok := targets[k]
			if !ok {
				n = uint32(len(targets))
				targets[k] = n
			}
			e.Op, e.Target, e.Point = event.Touch, n, uint32(min(rec.Args[1], math.MaxUint32))
			if c, ok := calls[thread]; ok && c.Args[0] == rec.Args[0] && c.Pos == rec.Pos {
				e.Pos = program.Call(c.Pos, uint32(c.Args[1]))
			}
			events = append(events, e)
		case event.Fork, event.Join:
			e.Op = rec.Kind
			events = append(events, e)
		case event.Origin:
			if !named || slices.Max(rec.Args[:]) >= maxThreads {
				return nil, errors.New("great or not named")
			}
		case event.Split:
			if rec.Args[0] == rec.Args[1] || rec.Args[1] >= maxThreads {
				return nil, errors.New("great or no split")
			}
			events = append(events, event.Event{Op: event.Split, Thread: thread,
				Target: e.Target, Point: uint32(rec.Args[1])})
		case event.Call:
			if rec.Args[1] >= maxDescribed {
				return nil, errors.New("great")
			}
			calls[thread] = rec
			program.Call(rec.Pos, uint32(rec.Args[1])) // numbers are given to calls in their order
		case event.Value:
			if ofObject(rec.Args[0]) {
				return nil, errors.New("tells of an object")
			}
		default:
			if s := simple[rec.Kind&31]; s.op != 0 {
				e.Op = s.op
				events = append(events, e)
			}
		}
		touch := rec.Kind == event.Touch || rec.Kind == event.TouchKey
		if len(events) > before && (!named || rec.Args[0] >= maxThreads && !touch) {
			return nil, errors.New("great or not named")
		}
	}
}

// FuzzPayload has the fast decoder beside package raw's.
func FuzzPayload(f *testing.F) {
	for seed := range uint64(4) {
		tr := tracegen.Random(seed)
		r, err := raw.NewReader(bytes.NewReader(write(f, tablesOf(tr), spec.Plain, tr.Events)))
		for err == nil {
			var c *raw.Chunk
			if c, err = r.Next(); err == nil && c.Kind == spec.Events {
				f.Add(bytes.Clone(c.Payload))
			}
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		c := raw.Chunk{Kind: spec.Events, Ordered: true, Payload: payload,
			Steps: uint32(len(payload)), Low: math.MaxUint64}
		cursor := c.Records()
		var rec raw.Record
		steps := uint32(0)
		for cursor.Next(&rec) == nil {
			if spec.InfoOf(rec.Kind).IsStep() {
				steps++
			}
			if rec.Kind == event.Seq && rec.Args[0] > 1<<32 {
				return // numbers that run over are another matter
			}
		}
		c.Steps = steps
		want, slowErr := slow(&c)
		var file bytes.Buffer
		w, err := raw.NewWriter(&file)
		if err == nil {
			err = w.Write(&c)
		}
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(r, 7)
		if slowErr == nil && (err != nil || !slices.Equal(got, want)) {
			t.Fatalf("%v\ngot\n%vwant\n%v", err, tracegen.Trace{Events: got},
				tracegen.Trace{Events: want})
		}
		var damage *raw.Error
		if slowErr != nil && err == nil && errors.As(slowErr, &damage) {
			t.Fatalf("no error, want %v", slowErr)
		}
	})
}

// FuzzText wants any trace, whatever its order and addresses, to be read or refused.
func FuzzText(f *testing.F) {
	for seed := range uint64(3) {
		r, err := raw.NewReader(bytes.NewReader(buffered(f, seed, tracegen.Random(seed))))
		if err != nil {
			f.Fatal(err)
		}
		var text strings.Builder
		if err := raw.Print(&text, r); err != nil {
			f.Fatal(err)
		}
		f.Add(text.String())
	}
	r, err := raw.NewReader(bytes.NewReader(ringFrom(f, 5, tracegen.Random(5), 20)))
	if err != nil {
		f.Fatal(err)
	}
	var text strings.Builder
	if err := raw.Print(&text, r); err != nil {
		f.Fatal(err)
	}
	f.Add(text.String())
	f.Add("commute trace 1\nDefinitions codec=s2\nMeta key=\"addresses\" value=\"true\"\n" +
		"Events codec=s2 first=0 low=9 ordered=true\nGo goroutine=1\n" +
		"Read var=824633720832 pos=4\nFresh address=0xc000000000 size=64 pos=5\n" +
		"Read var=824633720832 pos=5\n")
	f.Fuzz(func(t *testing.T, text string) {
		var file bytes.Buffer
		if raw.Parse(&file, strings.NewReader(text)) != nil {
			return
		}
		if r, err := NewReader(&file); err == nil {
			all(r, 10)
		}
	})
}

// TestVarint wants varint to agree with the standard library, also at the end of a chunk and for
// bytes that are no varint.
func TestVarint(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 200000 {
		buf := binary.AppendUvarint(nil, r.Uint64()>>r.IntN(64))
		for range r.IntN(12) {
			buf = append(buf, byte(r.Uint32()))
		}
		if buf = buf[:r.IntN(len(buf)+1)]; r.IntN(10) == 0 {
			for i := range buf {
				buf[i] |= 0x80
			}
		}
		want, n := binary.Uvarint(buf)
		if n <= 0 {
			want, n = 0, len(buf)+1
		}
		if got, at := varint(buf, 0); got != want || at != n {
			t.Fatalf("%x: %d and %d bytes, want %d and %d", buf, got, at, want, n)
		}
	}
}
