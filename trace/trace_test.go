// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// public is an event of a generated trace. The names tell numbers of different sorts apart.
func public(e *event.Event) Event {
	n := Event{Op: Op(e.Op), Thread: fmt.Sprint("t", e.Thread), Pos: fmt.Sprint(1 + e.Pos%100)}
	switch n.Op {
	case Read, Write:
		n.Target = fmt.Sprint("v", e.Target)
	case Split:
		n.Target, n.Point = fmt.Sprint("v", e.Target), fmt.Sprint("v", e.Point)
	case Acquire, Release, ReleaseMerge:
		n.Target = fmt.Sprint("l", e.Target)
	case Fork, Join:
		n.Target = fmt.Sprint("t", e.Target)
	case Touch:
		n.Target, n.Point = fmt.Sprint("o", e.Target), fmt.Sprint("p", e.Point)
	}
	return n
}

// write is a trace in a format.
func write(format Format, relation *event.Relation, events []Event) ([]byte, error) {
	var b bytes.Buffer
	w, err := NewWriter(&b, format)
	if err != nil {
		return nil, err
	}
	for p := range relation.Points() {
		for _, q := range relation.Conflicts(p) {
			err = errors.Join(err, w.Conflict(fmt.Sprint("p", p), fmt.Sprint("p", q)))
		}
	}
	for _, e := range events {
		if err := w.Write(e); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

func read(data []byte) (list []Event, pairs [][2]string, format Format, err error) {
	r, err := NewReader(bytes.NewReader(data), "x")
	if err != nil {
		return nil, nil, "", err
	}
	for {
		e, err := r.Read()
		if err == io.EOF {
			return list, r.Conflicts(), r.Format(), nil
		}
		if err != nil {
			return list, nil, r.Format(), err
		}
		list = append(list, e)
	}
}

// TestRoundTrip writes random traces in each format that can have them. They must be read as they
// were written, and the checks must find what the definitions say.
func TestRoundTrip(t *testing.T) {
	kinds := make(map[Format]int)
	tracegen.Each(t, 150, func(tr tracegen.Trace) error {
		formats := []Format{Binary, Text}
		std := tr.Mutexes && len(tr.Events) > 0
		var events []Event
		for i := range tr.Events {
			e := &tr.Events[i]
			if e.Op == event.Touch && len(tr.Relation.Conflicts(e.Point)) == 0 {
				return nil // the point can't be written
			}
			std = std && e.Op != event.Touch && e.Op != event.ReleaseMerge && e.Op != event.Split
			events = append(events, public(e))
		}
		if std {
			formats = append(formats, STD, RoadRunner)
		}
		races := 0
		for _, with := range tracegen.Races(tr) {
			races += min(1, len(with))
		}
		for _, format := range formats {
			kinds[format]++
			data, err := write(format, tr.Relation, events)
			if err != nil {
				return fmt.Errorf("%s: %w", format, err)
			}
			list, _, got, err := read(data)
			if err != nil || !slices.Equal(list, events) || got != format {
				return fmt.Errorf("%s: read as %s: %v %v, want %v", format, got, list, err, events)
			}
			r, err := NewReader(bytes.NewReader(data), "x")
			if err != nil {
				return err
			}
			o := Options{Checks: []string{"hb", "commute", "metainfo"}, All: true}
			found, err := Check(r, o)
			if err != nil {
				return fmt.Errorf("%s: %w", format, err)
			}
			if n := len(found.Findings()); (n == 0) != (races == 0) || n > races {
				return fmt.Errorf("%s: %d findings, and %d events race", format, n, races)
			}
			if n := found.Checks[2].MetaInfo["events"]; n != uint64(len(events)) {
				return fmt.Errorf("%s: %d events counted of %d", format, n, len(events))
			}
		}
		return nil
	})
	if kinds[STD] < 1 || kinds[Binary] < 10 { // of the few traces that -short tries
		t.Errorf("traces by format: %v", kinds)
	}
}

// TestConflicts has points defined while events are written, and read as they were defined.
func TestConflicts(t *testing.T) {
	var b bytes.Buffer
	w, err := NewWriter(&b, Text)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		w.Conflict("get", "put"), w.Conflict("put", "put"),
		w.Write(Event{Op: Touch, Thread: "t", Target: "o", Point: "put"}),
		w.Conflict("put", "len"),
		w.Write(Event{Op: Touch, Thread: "t", Target: "o", Point: "len"}), w.Close())
	if err != nil {
		t.Fatal(err)
	}
	_, pairs, _, err := read(b.Bytes())
	want := "[[get put] [put put] [put len]]"
	if fmt.Sprint(pairs) != want || err != nil {
		t.Errorf("%v, %v, want %s", pairs, err, want)
	}
}

// TestWriterRefuses has what can't be written, each with its error.
func TestWriterRefuses(t *testing.T) {
	ok := Event{Op: Write, Thread: "a", Target: "x", Pos: "7"}
	for _, c := range []struct {
		format Format
		event  Event
		want   string
	}{
		{Binary, Event{Op: Read, Thread: "a"}, "trace: event 2: a variable has no name"},
		{Binary, Event{Op: Read, Target: "a"}, "trace: event 2: a thread has no name"},
		{Binary, Event{Op: Read, Thread: "a b", Target: "x"},
			`trace: event 2: a thread is called "a b", which has white space`},
		{Binary, Event{Op: 200, Thread: "a"}, "trace: event 2: there is no operation 200"},
		{Binary, Event{Thread: "a", Target: "x"}, "trace: event 2: there is no operation 0"},
		{Binary, Event{Op: End, Thread: "a"}, "trace: event 2: a: end: there is nothing to end"},
		{Binary, Event{Op: Touch, Thread: "a", Target: "o", Point: "p"},
			`trace: event 2: access point "p" conflicts with none (Writer.Conflict says`},
		{Binary, Event{Op: Fork, Thread: "a", Target: "a"}, "a thread cannot fork itself"},
		{STD, Event{Op: Release, Thread: "a", Target: "l"}, "the thread doesn't hold the lock"},
		{STD, Event{Op: ReleaseMerge, Thread: "a", Target: "l"}, "a mutex has no merging release"},
		{STD, Event{Op: Read, Thread: "a", Target: "x", Pos: "a.go:1"},
			`trace: event 2: position "a.go:1" is no number of 32 bits (STD`},
		{STD, Event{Op: Split, Thread: "a", Target: "y", Point: "x"},
			"trace: event 2: STD has no operation split (write the binary format)"},
		{"xml", ok, `unknown format "xml" (want binary, text, std, roadrunner)`},
	} {
		_, err := write(c.format, nil, []Event{ok, c.event})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %v: %v, want %s", c.format, c.event, err, c.want)
		}
	}
	w, err := NewWriter(io.Discard, Binary)
	if err != nil {
		t.Fatal(err)
	}
	touch := Event{Op: Touch, Thread: "a", Target: "o", Point: "p"}
	err = errors.Join(w.Conflict("p", "q"), w.Write(touch))
	if err != nil {
		t.Fatal(err)
	}
	late := w.Conflict("p", "p")
	if late == nil || w.Write(ok) != late || w.Close() != late {
		t.Errorf("a conflict that comes too late: %v", late)
	}
	if w, err = NewWriter(io.Discard, Binary); err != nil || w.Close() != nil ||
		w.Write(ok) == nil {
		t.Error("a writer that is closed writes")
	}
}

// TestErrors has errors of traces that are read, with their places, by Read and by Check.
func TestErrors(t *testing.T) {
	const unheld = "T1|r(x)|1\nT1|rel(l)|2\n"
	cut, err := write(Binary, nil, []Event{{Op: Read, Thread: "a", Target: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, read, check string }{
		{unheld, "EOF", "x:2:1: T1: release l: the thread doesn't hold the lock (is an acquire"},
		{"T1|r(x)|1\nT1|q\n", "x:2:", "x:2:"},
		{string(cut[:len(cut)-1]), "EOF", ""},
		{"commute trace 9\n", "x: ", ""},
	} {
		_, _, _, err := read([]byte(c.text))
		if err == nil && c.read != "EOF" || err != nil && !strings.HasPrefix(err.Error(), c.read) {
			t.Errorf("%q read: %v, want %s", c.text, err, c.read)
		}
		r, err := NewReader(strings.NewReader(c.text), "x")
		if err != nil {
			continue
		}
		found, err := Check(r, Options{Checks: []string{"metainfo"}})
		var at *Error
		if c.check == "" {
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.check) || !errors.As(err, &at) ||
			at.Line != 2 || found.Error != err.Error() {
			t.Errorf("%q checked: %v, want %s", c.text, err, c.check)
		}
	}
	r, err := NewReader(strings.NewReader(unheld), "x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Check(r, Options{AnyOrder: true}); err != nil {
		t.Errorf("in any order: %v", err)
	}
	if _, err := Check(r, Options{}); err == nil || !strings.Contains(err.Error(), "beginning") {
		t.Errorf("checked twice: %v", err)
	}
	for want, o := range map[string]Options{
		`unknown check "hp" (there are frontier`: {Checks: []string{"hp"}},
		`unknown level "some" (there are viol`:   {Level: "some"},
	} {
		r, _ := NewReader(strings.NewReader(unheld), "x")
		if _, err := Check(r, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
	if _, err := Open("nowhere/x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestOpen opens a gzipped file, and a recorded trace: its report is that of the analysis.
func TestOpen(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, "T1|w(x)|1\nT2|w(x)|2\n")
	name := filepath.Join(t.TempDir(), "x.std.gz")
	if err := errors.Join(z.Close(), os.WriteFile(name, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	const recorded = "../internal/offline/testdata/recorded.txt"
	want, err := os.ReadFile("../internal/offline/testdata/velodrome.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		name: name + ":2: hb: data race: T2: write x (event 2, at 2) is not ordered after\n" +
			"\tT1: write x (event 1, at 1)\n",
		recorded: strings.ReplaceAll(string(want), "bank.trace", recorded),
	} {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		found, err := Check(r, Options{Checks: []string{"velodrome", "hb"}})
		if err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, f := range found.Findings() {
			text += f.Text()
		}
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s:\n%swant\n%s", name, text, want)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkRead has the cost of an event with its names.
func BenchmarkRead(b *testing.B) {
	var events []Event
	list := tracegen.Locked(100_000)
	for i := range list {
		events = append(events, public(&list[i]))
	}
	data, err := write(Binary, nil, events)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r, err := NewReader(bytes.NewReader(data), "x")
		for err == nil {
			_, err = r.Read()
		}
		if err != io.EOF {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(events)*b.N)/b.Elapsed().Seconds(), "events/s")
}
