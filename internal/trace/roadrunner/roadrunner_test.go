// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package roadrunner

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func all(r io.Reader, batch int) (words string, err error) {
	s := NewReader(r)
	var b strings.Builder
	buf := make([]event.Event, batch)
	for {
		n, err := s.Read(buf)
		for i, e := range buf[:n] {
			fmt.Fprintf(&b, "%d %s at %s\n", s.Place(i).Line, s.Tables().String(&e),
				s.Tables().Pos(e.Pos))
		}
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
	}
}

const sample = `[main: ----- RoadRunner -----]
@    Enter(1,test/Deadlock.doSomething()V)
@    Acquire(1,@03)
hello, @ Rd(1,x)
@    ARd(1,null.test/Deadlock.value_I)  Final  Deadlock.java:50:7
@	Wr(1,a.b)	here.java:1

@    Release(1,@03)
@ Dummy(1,x)
@ Sleep(1)
@ Start(1,2)
@ Join(1,2) x y
@    Exit(1,test/Deadlock.doSomething()V)`

func TestReader(t *testing.T) {
	const want = `2 1: begin at test/Deadlock.doSomething()V
3 1: acquire @03 at -
5 1: read null.test/Deadlock.value_I at Deadlock.java:50:7
6 1: write a.b at here.java:1
8 1: release @03 at -
11 1: fork 2 at -
12 1: join 2 at y
13 1: end at test/Deadlock.doSomething()V
`
	for _, batch := range []int{1, 2, 100} {
		for _, text := range []string{sample, strings.ReplaceAll(sample, "\n", "\r\n") + "\r\n"} {
			if got, err := all(strings.NewReader(text), batch); got != want || err != nil {
				t.Errorf("got\n%swant\n%s%v", got, want, err)
			}
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 3*MaxLine)
	if got, err := all(strings.NewReader(long+"\n@ Enter(1,f)\n"+long),
		10); got != "2 1: begin at f\n" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	const want = "2:65536: a line of more than 65536 bytes (want @ Operation(thread,operand), " +
		"and a location after reads and writes)"
	if got, err := all(strings.NewReader("@ Enter(1,f)\n@ Rd(1,"+long),
		10); got != "1 1: begin at f\n" || err == nil || err.Error() != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	const mend = " (want @ Operation(thread,operand), and a location after reads and writes)"
	for _, c := range []struct{ line, want string }{
		{"@ Rd(1", "2:7: an event without an operand"},
		{"@ Rd(,x) y", `2:6: no name of a thread: ""`},
		{"@ Rd(a b,x) y", `2:6: no name of a thread: "a b"`},
		{"@ Rd(1,x y", `2:9: an operand whose parenthesis is not closed: "x"`},
		{"@ Rd(1,) y", `2:8: no name of an operand: ""`},
		{"@ Rd(1,x)", "2:10: a read or write without a location"},
	} {
		_, err := all(strings.NewReader("@ Enter(1,f)\n"+c.line+"\n"), 10)
		if err == nil || err.Error() != c.want+mend {
			t.Errorf("%s: got %v, want %s", c.line, err, c.want)
		}
	}
}

// TestWriterBothWays wants the text of what was read to be read as the same.
func TestWriterBothWays(t *testing.T) {
	var text bytes.Buffer
	w := NewWriter(&text, trace.NewTables())
	if err := w.Write(tracegen.Locked(1000)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	again(t, text.String())
	again(t, sample)
}

// again reads a text, writes what was read, and reads that. It reports whether the text can be
// read.
func again(t *testing.T, text string) bool {
	r := NewReader(strings.NewReader(text))
	var events []event.Event
	buf := make([]event.Event, 100)
	for {
		n, err := r.Read(buf)
		events = append(events, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return false
		}
	}
	var written bytes.Buffer
	w := NewWriter(&written, r.Tables())
	if err := w.Write(events); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := NewReader(bytes.NewReader(written.Bytes()))
	for i := 0; i < len(events); {
		n, err := s.Read(buf)
		if err != nil {
			t.Fatalf("%v\n%s", err, written.Bytes())
		}
		for _, e := range buf[:n] {
			if was := events[i]; e.Op != was.Op || e.Thread != was.Thread ||
				e.Target != was.Target {
				t.Fatalf("event %d was %v and is %v\n%s", i, was, e, written.Bytes())
			}
			i++
		}
	}
	if n, err := s.Read(buf); err != io.EOF {
		t.Fatalf("%d events more, %v", n, err)
	}
	return true
}

func FuzzReader(f *testing.F) {
	f.Add(sample)
	f.Add("@ Rd(1,))) a\n@ Wr(1,(,)\n")
	f.Fuzz(func(t *testing.T, text string) { again(t, text) })
}
