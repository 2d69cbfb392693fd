// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

func tablesOf(tr tracegen.Trace) *trace.Tables {
	t := trace.NewTables()
	t.Relation, t.Mutexes = tr.Relation, tr.Mutexes
	return t
}

// write is the file of some events.
func write(t testing.TB, tables *trace.Tables, codec byte, events []event.Event) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, tables, codec)
	if err == nil {
		err = errors.Join(w.Write(events[:len(events)/2]), w.Write(events[len(events)/2:]),
			w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func all(r *Reader, batch int) ([]event.Event, error) {
	var list []event.Event
	buf := make([]event.Event, batch)
	for {
		n, err := r.Read(buf)
		for i := range n {
			if want := uint64(len(list) + i); r.Place(i).Event != want {
				return list, fmt.Errorf("event %d says it is %d", want, r.Place(i).Event)
			}
		}
		list = append(list, buf[:n]...)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
	}
}

// touched numbers the targets of touches as they come, as a Reader does.
func touched(events []event.Event) []event.Event {
	events = slices.Clone(events)
	numbers := make(map[uint32]uint32)
	for i := range events {
		if e := &events[i]; e.Op == event.Touch {
			n, ok := numbers[e.Target]
			if !ok {
				n = uint32(len(numbers))
				numbers[e.Target] = n
			}
			e.Target = n
		}
	}
	return events
}

func TestBothWays(t *testing.T) {
	for seed := range uint64(1000) {
		tr := tracegen.Random(seed)
		r, err := NewReader(bytes.NewReader(write(t, tablesOf(tr), byte(seed%3), tr.Events)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(r, 3+int(seed%60))
		if err != nil {
			t.Fatalf("trace %d: %v", seed, err)
		}
		if !slices.Equal(touched(got), touched(tr.Events)) {
			t.Fatalf("trace %d: got\n%vwant\n%v", seed, tracegen.Trace{Events: got}, tr)
		}
		if r.Tables().Mutexes != tr.Mutexes ||
			r.Tables().Relation.Points() != tr.Relation.Points() {
			t.Fatalf("trace %d: mutexes %v, %d points", seed, r.Tables().Mutexes,
				r.Tables().Relation.Points())
		}
		for p := range tr.Relation.Points() {
			a := slices.Sorted(slices.Values(tr.Relation.Conflicts(p)))
			b := slices.Sorted(slices.Values(r.Tables().Relation.Conflicts(p)))
			if !slices.Equal(a, b) {
				t.Fatalf("trace %d: point %d conflicts with %v, want %v", seed, p, b, a)
			}
		}
	}
}

// buffered is the file of a program whose goroutines have a buffer each. Events are numbered as
// the program makes them, with gaps. Full buffers are written, several to a chunk, in random
// order.
func buffered(t testing.TB, seed uint64, tr tracegen.Trace) []byte {
	r := rand.New(rand.NewPCG(seed, 5))
	var file bytes.Buffer
	w, err := raw.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var defs raw.Builder
	defs.Reset(spec.Definitions, spec.S2, 0)
	for p := range tr.Relation.Points() {
		defs.Add(&raw.Record{Kind: event.Point, Args: [spec.MaxArgs]uint64{uint64(p)}})
	}
	for p := range tr.Relation.Points() {
		for _, q := range tr.Relation.Conflicts(p) {
			defs.Add(&raw.Record{Kind: event.Conflict,
				Args: [spec.MaxArgs]uint64{uint64(p), uint64(q)}})
		}
	}
	if err := w.Write(&defs.Chunk); err != nil {
		t.Fatal(err)
	}
	type step struct {
		seq uint64
		rec raw.Record
	}
	buffers := make(map[uint32][]step)
	seq := uint64(1000)
	flush := func(last bool) {
		var b raw.Builder
		b.Reset(spec.Events, spec.S2, seq/2) // any number will do
		low := seq
		var threads []uint32
		for th := range buffers {
			threads = append(threads, th)
		}
		slices.Sort(threads)
		r.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
		for _, th := range threads {
			if !last && r.IntN(2) == 0 {
				low = min(low, buffers[th][0].seq)
				continue
			}
			b.Add(&raw.Record{Kind: event.Go, Args: [spec.MaxArgs]uint64{uint64(th)}})
			for _, s := range buffers[th] {
				if s.seq != b.Next() {
					b.Add(&raw.Record{Kind: event.Seq,
						Args: [spec.MaxArgs]uint64{s.seq - b.Next()}})
				}
				b.Add(&s.rec)
			}
			delete(buffers, th)
		}
		b.Low = low
		if err := w.Write(&b.Chunk); err != nil {
			t.Fatal(err)
		}
	}
	for _, e := range tr.Events {
		rec := raw.Record{Kind: kinds[min(int(e.Op), len(kinds)-1)].kind, Pos: e.Pos,
			Args: [spec.MaxArgs]uint64{uint64(e.Target)}}
		if e.Op == event.Touch {
			rec.Kind, rec.Args[1] = event.Touch, uint64(e.Point)
		}
		seq += 1 + uint64(r.IntN(10)/9)
		buffers[e.Thread] = append(buffers[e.Thread], step{seq, rec})
		if r.IntN(10) == 0 {
			seq++
			flush(false)
		}
	}
	seq++
	flush(true)
	return file.Bytes()
}

// TestOrder wants what goroutines have written apart to be read in the order in which it was made.
func TestOrder(t *testing.T) {
	for seed := range uint64(1000) {
		tr := tracegen.Random(seed)
		file := buffered(t, seed, tr)
		r, err := NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := all(r, 3+int(seed%60))
		if err != nil || !slices.Equal(touched(got), touched(tr.Events)) {
			t.Fatalf("trace %d: %v\ngot\n%vwant\n%v", seed, err, tracegen.Trace{Events: got}, tr)
		}
		if bytes, steps := r.Cut(); bytes != 0 || steps != 0 {
			t.Fatalf("trace %d: %d bytes and %d steps are left", seed, bytes, steps)
		}
		// What was cut off is read up to some event, with none left out.
		cut := len(file) - int(seed)%len(file)
		if r, err = NewReader(bytes.NewReader(file[:cut])); err != nil {
			continue // not even the header
		}
		got, err = all(r, 100)
		if want := touched(tr.Events); err != nil || len(got) > len(want) ||
			!slices.Equal(touched(got), want[:len(got)]) {
			t.Fatalf("trace %d, cut at %d of %d: %v\ngot\n%vof\n%v", seed, cut, len(file), err,
				tracegen.Trace{Events: got}, tr)
		}
	}
}

// TestCutPlain has files that are not compressed cut in their last chunk: all but the last events
// are read, and none is left out.
func TestCutPlain(t *testing.T) {
	for seed := range uint64(300) {
		tr := tracegen.Random(seed)
		var file bytes.Buffer
		w, err := NewWriter(&file, trace.NewTables(), spec.Plain)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(tr.Events), w.Close()); err != nil {
			t.Fatal(err)
		}
		for cut := range min(file.Len(), 40) {
			r, err := NewReader(bytes.NewReader(file.Bytes()[:file.Len()-cut]))
			if err != nil {
				t.Fatal(err)
			}
			got, err := all(r, 100)
			want := touched(tr.Events)
			if err != nil || !slices.Equal(touched(got), want[:min(len(got), len(want))]) {
				t.Fatalf("trace %d without %d bytes: %v", seed, cut, err)
			}
			// A step has one byte or more.
			if len(got)+2*cut+2 < len(want) {
				t.Fatalf("trace %d without %d bytes: %d events of %d", seed, cut, len(got), len(want))
			}
			if bytes, _ := r.Cut(); (bytes > 0) != (cut > 0) {
				t.Fatalf("trace %d without %d bytes: %d are left out", seed, cut, bytes)
			}
		}
	}
}

// TestRunsInOrder wants the heap of runs to give them out by their numbers.
func TestRunsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		var heap runs
		var model []uint64
		for range r.IntN(50) {
			if first := r.Uint64N(40); r.IntN(3) > 0 {
				heap.push(run{first: first, end: first + 1})
				model = append(model, first)
				slices.Sort(model)
			} else if len(model) > 0 {
				if got := heap.pop().first; got != model[0] {
					t.Fatalf("run %d comes, want %d of %v", got, model[0], model)
				}
				model = model[1:]
			}
			if len(heap) != len(model) {
				t.Fatalf("%d runs, want %d", len(heap), len(model))
			}
		}
	}
}

func BenchmarkReader(b *testing.B) {
	for _, codec := range []byte{spec.Plain, spec.S2, spec.Zstd} {
		for _, shape := range tracegen.Shapes {
			b.Run(raw.CodecName(codec)+"/"+shape.Name, func(b *testing.B) {
				list := shape.Make(1000000)
				file := write(b, trace.NewTables(), codec, list)
				buf := make([]event.Event, 4096)
				b.SetBytes(int64(len(file)))
				b.ReportAllocs()
				b.ResetTimer()
				for range b.N {
					r, err := NewReader(bytes.NewReader(file))
					for err == nil {
						_, err = r.Read(buf)
					}
					if err != io.EOF {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds(), "events/s")
				b.ReportMetric(float64(len(file))/float64(len(list)), "bytes/event")
			})
		}
	}
}

func BenchmarkWriter(b *testing.B) {
	list := tracegen.Locked(1000000)
	for _, codec := range []byte{spec.Plain, spec.S2, spec.Zstd} {
		b.Run(raw.CodecName(codec), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				w, err := NewWriter(io.Discard, trace.NewTables(), codec)
				if err == nil {
					err = errors.Join(w.Write(list), w.Close())
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestRelationIsLeftAlone wants a relation that a Reader has given out to stay as it is when the
// trace defines further points.
func TestRelationIsLeftAlone(t *testing.T) {
	const text = "commute trace 1\n" +
		"Definitions codec=plain\nPoint id=0 type=\"A\" name=\"w\"\nConflict point=0 other=0\n" +
		"Events codec=plain first=0 low=1 ordered=true\nGo goroutine=1\n" +
		"Touch object=0 point=0 pos=1\n" +
		"Definitions codec=plain\nPoint id=1 type=\"B\" name=\"w\"\nConflict point=1 other=1\n" +
		"Events codec=plain first=1 low=2 ordered=true\nGo goroutine=1\n" +
		"Touch object=1 point=1 pos=1\n"
	var file bytes.Buffer
	if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	before := r.Tables().Relation
	if _, err := all(r, 5); err != nil {
		t.Fatal(err)
	}
	if after := r.Tables().Relation; before.Points() != 1 || after.Points() != 2 {
		t.Errorf("%d points at first, then %d, want 1 and 2", before.Points(), after.Points())
	}
}
