// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
)

// parsed is a reader of a trace in words.
func parsed(t *testing.T, text string) *Reader {
	t.Helper()
	var file bytes.Buffer
	if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTargetsAreForgotten has an object go while another stays: a third one is neither.
func TestTargetsAreForgotten(t *testing.T) {
	r := parsed(t, `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Point id=0 type="T" name="p"
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Touch object=64 point=0 pos=1
Touch object=128 point=0 pos=1
Fresh address=0x40 size=8 pos=0
Touch object=192 point=0 pos=1
Touch object=128 point=0 pos=1
`)
	got, err := all(r, 100)
	if err != nil || len(got) != 4 {
		t.Fatalf("%v, %v", got, err)
	}
	kept, third := got[1].Target, got[2].Target
	if third == kept || third == got[0].Target || got[3].Target != kept {
		t.Errorf("targets are %d, %d, %d, %d", got[0].Target, kept, third, got[3].Target)
	}
}

// TestCalls wants steps of calls with their values, at the events that they come before, and an
// object at a used address to be another.
func TestCalls(t *testing.T) {
	r := parsed(t, `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Meta key="calls" value="true"
Point id=0 type="T" name="p"
Method id=0 type="T" name="M"
Place id=3 text="inside of a call"
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Acquire lock=8 pos=3
Value what=1 value=77 pos=0
Enter object=64 method=0 key=0x5 pos=0
Value what=9 value=11 pos=1
Value what=32 value=12 pos=1
Call object=64 method=0 touches=1 pos=1
TouchKey object=64 point=0 key=0x5 pos=1
Value what=34 value=0 pos=1
Fresh address=0x40 size=8 pos=0
Enter object=64 method=0 key=0x0 pos=0
Exit pos=0
`)
	r.WantCalls()
	events, err := all(r, 100)
	if err != nil || len(events) != 2 || !r.Tables().Program.Calls {
		t.Fatalf("%v, %v", events, err)
	}
	if events[0].Op != event.Acquire || events[0].Flags&event.Hidden == 0 {
		t.Errorf("%v is not hidden", events[0])
	}
	pos := r.Tables().Program.Call(1, 0)
	want := []trace.CallStep{
		{Event: 1, Kind: event.Enter, Thread: 1, Keys: [4]uint64{5, 77}},
		{Event: 1, Kind: event.Call, Thread: 1, Pos: pos, Touches: 1,
			Values: []trace.Value{{What: spec.KeptOf + 1, Value: 11},
				{What: spec.Frame, Value: 12}}},
		{Event: 2, Kind: event.Value, Thread: 1, What: spec.Gone},
		{Event: 2, Kind: event.Fresh},
		{Event: 2, Kind: event.Enter, Thread: 1, Object: 1},
		{Event: 2, Kind: event.Exit, Thread: 1},
	}
	if got := r.Calls(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

// TestLocks wants what is told of locks, of failed attempts and of meetings. An atomic operation is
// told of if it is on a part of what is accessed plainly, too; so is the synchronization of a
// Mutex, which is at its own word. Where parts of variables begin is told, too.
func TestLocks(t *testing.T) {
	const text = `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
Meta key="locks" value="all"
Section id=1 name="f a.go:1"
Section id=2 name="g a.go:9"
Independent section=2
Goroutine id=1 goid=11 parent=0 pos=0 name=""
Goroutine id=2 goid=12 parent=0 pos=0 name=""
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
WriteRange var=64 size=32 pos=0
AtomicStore lock=64 pos=0
Begin section=2 pos=0
Value what=35 value=1 pos=0
Acquire lock=64 pos=0
Value what=36 value=1028 pos=0
Release lock=136 pos=0
AtomicLoad lock=72 pos=0
AtomicRMW lock=200 pos=0
Value what=37 value=0 pos=0
Value what=38 value=2 pos=0
Value what=39 value=0 pos=0
ReadRange var=72 size=8 pos=0
AtomicLoad lock=72 pos=0
Value what=99 value=0 pos=0
Begin section=1 pos=0
`
	r := parsed(t, text)
	r.WantCalls()
	events, err := all(r, 100)
	if err != nil || !r.Tables().Program.Locks {
		t.Fatalf("%v, %v", events, err)
	}
	two, _ := r.threadNumber(2)
	value := func(after uint64, what uint64, object uint32, flags uint8) trace.CallStep {
		return trace.CallStep{
			Event: after, Kind: event.Value, Thread: 1, What: what, Object: object, Flags: flags,
		}
	}
	want := []trace.CallStep{
		value(3, spec.Takes, 0, spec.Reader),
		{Event: 3, Kind: event.AtomicRMW, Thread: 1, Offset: 64},
		value(4, spec.Frees, 1, spec.Direct),
		{Event: 5, Kind: event.AtomicLoad, Thread: 1, Offset: 72},
		value(8, spec.Fails, 0, 0), value(8, spec.Meets, two, 0), value(8, spec.Passes, 0, 0),
		{Event: 8, Kind: event.Split, Object: 1, Offset: 72},
		{Event: 8, Kind: event.Split, Object: 2, Offset: 80},
		{Event: 11, Kind: event.AtomicLoad, Thread: 1, Object: 1, Offset: 72},
		value(12, 99, 0, 0),
	}
	if got := r.Calls(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	var independent []bool
	for _, e := range events {
		if e.Op == event.Begin {
			independent = append(independent, r.Tables().Program.Independent(e.Pos))
		}
	}
	if !reflect.DeepEqual(independent, []bool{true, false}) {
		t.Errorf("independent: %v", independent)
	}
	old := parsed(t, strings.Replace(text, `Meta key="locks"`, `Meta key="other"`, 1))
	if _, err := all(old, 100); err != nil || old.Tables().Program.Locks {
		t.Errorf("of an older trace: %v", err)
	}
}
