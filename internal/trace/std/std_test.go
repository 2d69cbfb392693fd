// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package std

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracegen"
)

// all reads a text to its end.
func all(r io.Reader, batch int) (*Reader, []event.Event, error) {
	s := NewReader(r)
	var list []event.Event
	buf := make([]event.Event, batch)
	for {
		n, err := s.Read(buf)
		list = append(list, buf[:n]...)
		if err == io.EOF {
			return s, list, nil
		}
		if err != nil {
			return s, list, err
		}
	}
}

// described is what a trace says, in words.
func described(t *trace.Tables, list []event.Event) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s at %s\n", t.String(&e), t.Pos(e.Pos))
	}
	return b.String()
}

// slow parses as the package comment says, with regular expressions. It returns the number of the
// first bad line, from 1, or 0.
func slow(text string) (words string, bad int) {
	line := regexp.MustCompile(`^([^|\s\x00](?:(?:[^|\s\x00]| )*[^|\s\x00])?)\|` +
		`(?:(begin|end)[^|]*|(r|w|acq|rel)\(([^|\s\x00]+)\)|` +
		`(fork|join)\(([^|\s\x00](?:(?:[^|\s\x00]| )*[^|\s\x00])?)\))\|([+-]?[0-9]+)\r?$`)
	names := map[string]string{
		"r": "read", "w": "write", "acq": "acquire", "rel": "release", "fork": "fork",
		"join": "join", "begin": "begin", "end": "end",
	}
	if text == "" {
		return "", 0
	}
	var b strings.Builder
	for i, s := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		m := line.FindStringSubmatch(s)
		if m == nil {
			return b.String(), i + 1
		}
		loc, err := strconv.ParseInt(m[7], 10, 32)
		if err != nil {
			return b.String(), i + 1
		}
		fmt.Fprintf(&b, "%s: %s", m[1], names[m[2]+m[3]+m[5]])
		if target := m[4] + m[6]; target != "" {
			b.WriteString(" " + target)
		}
		fmt.Fprintf(&b, " at %d\n", loc)
	}
	return b.String(), 0
}

var texts = []string{
	"", "T0|r(V1)|12\n", "T0|r(V1)|12", "T0|w(V1)|-12\r\nT1|begin|0\r\n",
	"T0|begin(foo bar)|1\nT0|endless|2\n",
	"main thread|r(x)|1\nT|fork(a  b)|2\na  b|w(x)|3\n", "T0 |r(x)|1\n", " T0|r(x)|1\n",
	"T0|fork( )|1\n", "T\t0|r(x)|1\n", "T0|r(a b)|1\n",
	"a-very-long-thread|acq(java.util.HashMap@1f(a,b))|+2147483647\nb|rel(12345678)|-2147483648",
	"1234567|fork(1234567)|1\n1234567|fork(12345678)|1\n12345678|join(123456)|1", "T0|r((a))|1\n",
	"T0|r())|1\n", "\n", "T0|r()|1",
	"T0|r(x)|1\n\nT0|r(x)|1", "T0|dummy(x)|1", "T0|r(x|1", "T0|r(x)|", "T0|r(x)|2147483648",
	"T0|r(x)|1 ", "T0|R(x)|1", "|r(x)|1",
	"T0|r(x)|1|2", "T0|r x|1", "# comment\n", "T0|r(x\x00)|1", "T0|r(x)|1\r", "T0|r(x)|1\r\r\n",
	"T0|r(x)|99999999999999999999", "r|r|1",
}

func same(t *testing.T, text string) {
	t.Helper()
	want, bad := slow(text)
	for _, batch := range []int{1, 3, 1000} {
		r, list, err := all(strings.NewReader(text), batch)
		if got := described(r.Tables(), list); got != want {
			t.Fatalf("%q: got\n%swant\n%s", text, got, want)
		}
		var wrong *trace.Error
		switch {
		case bad == 0 && err != nil:
			t.Fatalf("%q: %v", text, err)
		case bad != 0 && (!errors.As(err, &wrong) || wrong.Line != bad):
			t.Fatalf("%q: got %v, want an error in line %d", text, err, bad)
		}
	}
}

func TestReaderIsTheSlowOne(t *testing.T) {
	for _, text := range texts {
		same(t, text)
	}
}

func FuzzReader(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(same)
}

// TestSmallReads has lines that come in pieces, and more of them than the buffer has room for.
func TestSmallReads(t *testing.T) {
	var text strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&text, "T%d|r(%s)|%d\n", i%5, strings.Repeat("v", i%30+1), i)
	}
	want, _ := slow(text.String())
	for _, r := range []io.Reader{
		iotest.HalfReader(strings.NewReader(text.String())),
		iotest.OneByteReader(strings.NewReader(text.String())),
		iotest.DataErrReader(strings.NewReader(text.String())),
	} {
		s, list, err := all(r, 100)
		if got := described(s.Tables(), list); got != want || err != nil {
			t.Errorf("%d events, %v", len(list), err)
		}
		if s.Offset() != int64(text.Len()) {
			t.Errorf("%d bytes read of %d", s.Offset(), text.Len())
		}
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken")
	_, list, err := all(io.MultiReader(strings.NewReader("T|r(x)|1\nT|r"),
		iotest.ErrReader(broken)), 10)
	if !errors.Is(err, broken) || len(list) != 1 {
		t.Errorf("got %d events and %v", len(list), err)
	}
	_, _, err = all(strings.NewReader(strings.Repeat("x", 10*MaxLine)), 10)
	if want := "1:65536: a line of more than 65536 bytes (want " +
		"thread|operation|location)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestWriterBothWays wants what was written to be read again.
func TestWriterBothWays(t *testing.T) {
	list := tracegen.Locked(5000)
	tables := trace.NewTables()
	tables.Vars.Set(3, "x|y z")
	tables.Vars.Set(4, "V1")
	tables.Threads.Set(1, "main")
	var text bytes.Buffer
	w := NewWriter(&text, tables)
	if err := errors.Join(w.Write(list[:10]), w.Write(list[10:]), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, again, err := all(&text, 64)
	if err != nil || len(again) != len(list) {
		t.Fatalf("%d events of %d, %v", len(again), len(list), err)
	}
	now := make(map[string]uint32) // the number of a thing, by kind and number as it was
	for i := range list {
		a, b := list[i], again[i]
		if a.Op != b.Op || a.Pos != b.Pos {
			t.Fatalf("event %d was %v, is %v", i, a, b)
		}
		for key, number := range map[string]uint32{
			fmt.Sprint("thread ", a.Thread):                    b.Thread,
			fmt.Sprint(int(a.Op/event.Acquire), " ", a.Target): b.Target,
		} {
			if old, ok := now[key]; ok && old != number {
				t.Fatalf("event %d was %v, is %v, and %s was number %d", i, a, b, key, old)
			}
			now[key] = number
		}
	}
	for name, want := range map[string]bool{"x_y_z": true, "V1": true, "V3": false, "V4": false,
		"V5": true} {
		if _, ok := r.Tables().Vars.Find([]byte(name)); ok != want {
			t.Errorf("that variable %s is there is %v", name, ok)
		}
	}
	vars := 0
	for key := range now {
		if strings.HasPrefix(key, "0 ") {
			vars++
		}
	}
	if r.Tables().Vars.Len() != vars {
		t.Errorf("%d variables, want %d", r.Tables().Vars.Len(), vars)
	}
}

func TestWriterRefuses(t *testing.T) {
	w := NewWriter(io.Discard, trace.NewTables())
	err := w.Write([]event.Event{{Op: event.Read}, {Op: event.Touch}})
	if want := "event 2: STD has no operation touch (write the binary format)"; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"", "2:1: an empty line (want thread|operation|location, as in T0|r(V1)|12)"},
		{"T0|r(x)",
			"2:8: a line with 2 fields (want thread|operation|location, as in T0|r(V1)|12)"},
		{"T0|r(x)|1|2",
			"2:10: a line with 4 fields (want thread|operation|location, as in T0|r(V1)|12)"},
		{"|r(x)|1",
			"2:1: a thread without a name (want thread|operation|location, as in T0|r(V1)|12)"},
		{"T0 |r(x)|1", `2:3: white space in the name of a thread, "T0 " (want ` +
			`thread|operation|location, as in T0|r(V1)|12)`},
		{"T0|read(x)|1", `2:4: unknown operation "read(x)" (want r, w, acq, rel, fork or join ` +
			`with a name in parentheses, or begin or end)`},
		{"T0|acq|1", `2:7: operation acq of nothing (want acq(name))`},
		{"T0|acq()|1", `2:8: a lock without a name (want acq(name))`},
		{"T0|w(x|1", `2:7: the parenthesis of "w(x" is not closed (want w(name))`},
		{"T0|w(x y)|1", `2:7: white space in the name of a variable, "x y" (want w(name))`},
		{"T0|w(x)|one", `2:9: location "one" is no number (want a decimal one of 32 bits)`},
		{"T0|w(x)|9876543210",
			`2:9: location "9876543210" is too great (want a number of 32 bits)`},
	} {
		_, _, err := all(strings.NewReader("T0|begin|1\n"+c.line+"\nT0|end|1\n"), 10)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.line, err, c.want)
		}
	}
}

func BenchmarkReader(b *testing.B) {
	for _, shape := range tracegen.Shapes {
		b.Run(shape.Name, func(b *testing.B) {
			list := shape.Make(1000000)
			var text bytes.Buffer
			w := NewWriter(&text, trace.NewTables())
			if err := errors.Join(w.Write(list), w.Close()); err != nil {
				b.Fatal(err)
			}
			buf := make([]event.Event, 4096)
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				r := NewReader(bytes.NewReader(text.Bytes()))
				for {
					_, err := r.Read(buf)
					if err == io.EOF {
						break
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)*float64(len(list))/b.Elapsed().Seconds(), "events/s")
		})
	}
}
