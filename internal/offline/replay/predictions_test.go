// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"strconv"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/spec"
)

// A wordy trace is one in words: steps with a semicolon between, each a thread, what it does, and
// what to. Variables are x and y; locks m, n and q have two words for their synchronization.
type wordy struct {
	t      *testing.T
	events []event.Event
	steps  []trace.CallStep
}

var things = map[string]uint32{
	"x": 1, "y": 2, "z": 3, "m": 10, "n": 12, "q": 14, "c": 20, "d": 21, "o": 0,
}

// aTimer is the thread of a timer, and free the position that begins transactions that do the same
// whatever they read.
const (
	aTimer = 9
	free   = 7
)

func (s *wordy) event(op event.Kind, thread, target, pos uint32, flags event.Flags) {
	s.events = append(s.events, event.Event{
		Op: op, Thread: thread, Target: target, Pos: pos, Flags: flags,
	})
}

func (s *wordy) step(kind event.Kind, thread, object uint32, what uint64, flags uint8) {
	s.steps = append(s.steps, trace.CallStep{
		Event: uint64(len(s.events)), Kind: kind, Thread: thread, Object: object, What: what,
		Flags: flags,
	})
}

func (s *wordy) line(line string) {
	f := strings.Fields(line)
	n, err := strconv.Atoi(f[0])
	if err != nil {
		s.t.Fatal(err)
	}
	thread, on := uint32(n), uint32(0)
	if len(f) > 2 {
		var known bool
		if on, known = things[f[2]]; !known {
			v, err := strconv.Atoi(f[2])
			if err != nil {
				s.t.Fatal(err)
			}
			on = uint32(v)
		}
	}
	takes := func(flags uint8) { s.step(event.Value, thread, on, spec.Takes, flags) }
	frees := func(flags uint8) { s.step(event.Value, thread, on, spec.Frees, flags) }
	sync := func(op event.Kind, target uint32) { s.event(op, thread, target, 0, 0) }
	switch pos := 100 + on; f[1] {
	case "begin":
		s.event(event.Begin, thread, 0, on, 0)
	case "end":
		s.event(event.End, thread, 0, 0, 0)
	case "r":
		s.event(event.Read, thread, on, pos, 0)
	case "w":
		s.event(event.Write, thread, on, pos, 0)
	case "hidden", "quiet": // writes
		s.event(event.Write, thread, on, pos, map[string]event.Flags{
			"hidden": event.Hidden, "quiet": event.Quiet,
		}[f[1]])
	case "lock":
		takes(0)
		sync(event.Acquire, on)
	case "wlock":
		takes(spec.Waits)
		sync(event.Acquire, on)
		sync(event.Acquire, on+1)
	case "rlock":
		takes(spec.Reader)
		sync(event.Acquire, on)
	case "unlock", "unseen": // the latter by a package that is not watched
		frees(map[string]uint8{"unlock": spec.Direct}[f[1]])
		sync(event.Release, on)
	case "runlock":
		frees(spec.Reader | spec.Direct)
		sync(event.ReleaseMerge, on+1)
	case "release":
		sync(event.Release, on)
	case "acquire":
		sync(event.Acquire, on)
	case "fails":
		s.step(event.Value, thread, 0, spec.Fails, 0)
	case "meets":
		s.step(event.Value, thread, on, spec.Meets, 0)
		for _, by := range []uint32{on, thread} {
			s.event(event.ReleaseMerge, by, 30, 0, 0)
		}
		for _, by := range []uint32{thread, on} {
			s.event(event.Acquire, by, 30, 0, 0)
		}
	case "passes": // a value through a channel
		s.step(event.Value, thread, 0, spec.Passes, 0)
	case "fork":
		s.event(event.Fork, thread, on, 0, 0)
	case "join":
		s.event(event.Join, thread, on, 0, 0)
	case "exit":
		s.step(event.Exit, thread, 0, 0, 0)
	case "all":
		s.step(event.AcquireAll, thread, 0, 0, 0)
	case "split": // z is a part of it
		s.events = append(s.events, event.Event{Op: event.Split, Target: things["z"], Point: on})
	case "store":
		s.step(event.AtomicStore, thread, on, 0, 0)
	case "load":
		s.step(event.AtomicLoad, thread, on, 0, 0)
	case "enter":
		s.step(event.Enter, thread, on, 0, 0)
	case "call":
		s.step(event.Call, thread, on, 0, 0)
	case "range": // of a method that calls back
		s.step(event.Call, thread, on, 0, 0)
		s.steps[len(s.steps)-1].Method = 1
	case "gone":
		s.step(event.Value, thread, 0, spec.Gone, 0)
	default:
		s.t.Fatalf("%q", line)
	}
}

// predicted is what is predicted of a script.
func predicted(t *testing.T, text string) (list []Prediction) {
	s := wordy{t: t}
	program := trace.NewProgram()
	program.SetIndependent(1)
	program.SetGoroutine(aTimer, 0, 0, 0)
	program.SetShape(1, spec.Callback|uint64('o')<<spec.RoleShift, 0, "", "")
	independent := program.Section(0, 1)
	for line := range strings.SplitSeq(text, ";") {
		if line = strings.TrimSpace(line); line != "" {
			s.line(line)
		}
	}
	for i := range s.events {
		if e := &s.events[i]; e.Op == event.Begin && e.Pos == free {
			e.Pos = independent
		}
	}
	p := NewPredictions(program, func(p Prediction) { list = append(list, p) })
	p.Events(s.events, s.steps)
	p.Close()
	return list
}

// What a transaction of thread 1 does, and the write by thread 2 that could come between.
const (
	reads  = "1 begin 1; 1 lock m; 1 r x; 1 unlock m; "
	writes = "1 lock m; 1 w x; 1 unlock m; 1 end; "
	both   = reads + writes
	readsY = reads + "1 lock m; 1 r y; 1 w x; 1 unlock m; 1 end; "
	other  = "2 lock m; 2 w x; 2 unlock m"
	untold = "1 lock m; 1 r x; 1 unlock m; 1 lock m; 1 w x; 1 unlock m;"
)

// TestPredictions changes a lost update that is predicted, a little each time. What orders the two
// threads makes the other order impossible.
func TestPredictions(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   int
	}{
		"lost update":    {both + other, 1},
		"told once":      {both + other + ";" + both + other, 1},
		"no transaction": {untold + other, 0},
		"one section":    {"1 begin 1; 1 lock m; 1 r x; 1 w x; 1 unlock m; 1 end;" + other, 0},
		"other lock":     {both + "2 lock n; 2 w x; 2 unlock n", 1},
		"reads only": {reads + "1 lock m; 1 r x; 1 unlock m; 1 end; 2 lock m; 2 r x;" +
			"2 unlock m", 0},
		"dirty read": {"1 begin 1; 1 lock m; 1 w x; 1 unlock m;" + writes + "2 lock m;" +
			"2 r x; 2 unlock m", 1},
		"looks again":    {reads + "1 lock m; 1 r x; 1 w x; 1 unlock m; 1 end;" + other, 0},
		"nested second":  {reads + "1 begin 1;" + writes + "1 end;" + other, 1},
		"without a lock": {"1 begin 1; 1 lock m; 1 unlock m; 1 r x;" + writes + other, 1},
		"write twice": {"1 begin 1; 1 lock m; 1 unlock m; 1 lock m; 1 w x;" +
			strings.TrimPrefix(writes, "1 lock m;") + other, 0},
		"read before it": {"3 begin 1; 1 r x; 1 begin 1; 1 lock m; 1 unlock m;" + writes +
			other, 0},
		"first not seen":  {"1 begin 1; 1 lock m; 1 quiet x; 1 unlock m;" + writes + other, 0},
		"second not seen": {reads + "1 lock m; 1 quiet x; 1 unlock m; 1 end;" + other, 0},
		"not watched":     {both + "2 lock m; 2 quiet x; 2 unlock m", 0},
		"part of a call":  {both + "2 lock m; 2 hidden x; 2 unlock m", 0},
		"lock still held": {both + "2 lock m; 2 w x", 0},
		"nested":          {"1 begin 1;" + both + "1 end;" + other, 1},
		"ends by exit":    {reads + "1 lock m; 1 w x; 1 unlock m; 1 exit;" + other, 1},
		"after its end": {reads + "1 end;" + strings.Replace(writes, "1 end;", "", 1) +
			other, 0},
		"held from before": {"1 lock q;" + both + "1 unlock q; 2 lock q;" + other + ";" +
			"2 unlock q", 0},

		"message":        {both + "1 release c; 2 acquire c;" + other, 0},
		"message before": {"1 release c;" + both + "2 acquire c;" + other, 1},
		"in between":     {reads + "1 lock m; 1 release c; 1 w x; 1 unlock m; 1 end;" + other, 0},
		"by a timer":     {both + "1 release c; 9 acquire c; 9 release d; 2 acquire d;" + other, 0},
		"other timer": {both + "1 release c; 9 acquire c; 9 acquire 25; 9 release d;" +
			"2 acquire d;" + other, 1},
		"go":             {both + "1 fork 2;" + other, 0},
		"go before":      {"1 begin 1; 1 end; 1 fork 2;" + both + other, 1},
		"join":           {both + "2 join 1;" + other, 0},
		"finalizer":      {both + "2 all;" + other, 0},
		"failed attempt": {both + "2 fails;" + other, 0},
		"failed before":  {"1 begin 1; 1 end; 2 fails;" + both + other, 1},
		"failed within":  {reads + "1 lock m; 2 fails; 1 w x; 1 unlock m; 1 end;" + other, 0},

		"meeting":       {both + "1 meets 2;" + other, 0},
		"meeting first": {"1 begin 1; 1 end; 2 meets 1;" + both + other, 1},
		"met others":    {both + "1 meets 3; 2 meets 4;" + other, 1},
		"others met":    {both + "3 meets 1; 4 meets 2;" + other, 1},
		"value passed":  {both + "1 passes; 1 release c; 2 passes; 2 acquire c;" + other, 1},

		"calls":        {both + "1 call o; 2 call o;" + other, 0},
		"calls of two": {both + "1 call o; 2 call 5;" + other, 1},
		"call begins":  {both + "1 call o; 2 enter o;" + other, 0},
		"begins only":  {both + "1 enter o; 2 call o;" + other, 0},
		"goes on to":   {"1 begin 1; 1 end; 2 range o;" + both + "1 call o; 2 gone;" + other, 0},
		"goes on from": {"1 begin 1; 1 end; 2 range 5;" + both + "1 call o; 2 gone;" + other, 1},
		"call is over": {"1 begin 1; 1 end; 2 enter o; 2 call o;" + both + "1 call o;" +
			"2 gone;" + other, 1},
		"was abandoned": {"1 begin 1; 1 end; 2 enter o;" + both + "1 call o; 2 gone;" + other, 0},

		"reads it":      {both + "2 lock m; 2 r x; 2 w x; 2 unlock m", 0},
		"reads another": {both + "2 lock m; 2 r y; 2 w x; 2 unlock m", 1},
		"reads first": {both + "2 begin 1; 2 lock m; 2 r x; 2 unlock m; 2 lock m;" +
			"2 w x; 2 unlock m; 2 end", 0},
		"does so anyway": {both + "2 begin 7; 2 lock m; 2 r x; 2 unlock m; 2 lock m;" +
			"2 w x; 2 unlock m; 2 end", 1},
		"atomic read":      {both + "2 load x;" + other, 0},
		"read was changed": {readsY + "2 lock m; 2 w y; 2 w x; 2 unlock m", 0},
		"changed first":    {"1 begin 1; 1 end; 2 w y;" + readsY + other, 1},
		"atomic change":    {readsY + "2 store y;" + other, 0},
		"read of atomic":   {both + "1 store y; 2 r y;" + other, 0},
		"split":            {both + "2 split x;" + other, 0},
		"split before":     {reads + "2 split x;" + writes + other, 1},
		"split of read":    {readsY + "2 split y;" + other, 0},
		"split off": {"1 begin 1; 1 lock m; 1 r x; 2 split x; 1 unlock m; 2 w x; 2 r x;" +
			"1 lock m; 1 w z; 1 unlock m; 1 end; 2 lock m; 2 w z; 2 unlock m", 1},
		"changed in it": {reads + "1 lock m; 1 r y; 2 w y; 1 w x; 1 unlock m; 1 end;" + other, 0},
		"stored in it": {reads + "1 lock m; 1 r y; 2 store y; 1 w x; 1 unlock m; 1 end;" +
			"" + other, 0},
		"change left out": {readsY + "1 release c; 3 acquire c; 3 w y;" + other, 1},
		"store left out":  {readsY + "1 release c; 3 acquire c; 3 store y;" + other, 1},

		"locks of two kinds": {"1 begin 1; 1 rlock q; 1 r x; 1 runlock q; 1 wlock q; 1 w x;" +
			"1 unlock q; 1 end;" +
			"2 wlock q; 2 w x; 2 unlock q", 1},
		"readers pass": {"1 begin 1; 1 rlock q; 1 r x; 1 runlock q; 1 rlock q; 1 w x;" +
			"1 runlock q; 1 end;" +
			"2 rlock q; 2 w x; 2 runlock q", 1},
		"lock of two": {both + "1 release c; 3 acquire c; 3 lock n; 3 unlock n;" +
			"2 lock n; 2 unlock n;" + other, 1},
		"lock not watched": {both + "1 release c; 3 acquire c; 3 lock n; 3 unseen n;" +
			"2 lock n; 2 unlock n;" + other, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := predicted(t, c.script)
			if len(got) != c.want {
				t.Errorf("%d predictions, want %d: %+v\n%s", len(got), c.want, got, c.script)
			}
			for i := range got {
				if !got[i].Transaction.Marked {
					t.Errorf("%+v is of no transaction", got[i])
				}
			}
		})
	}
}

// TestPredicted wants a prediction to have its three accesses and both transactions.
func TestPredicted(t *testing.T) {
	got := predicted(t, "2 w y; 1 begin 1; 1 end;"+both+
		"2 begin 7; 2 lock m; 2 r x; 2 w x; 2 unlock m; 2 end; 2 r y")
	if len(got) != 1 {
		t.Fatalf("%d predictions, want 1", len(got))
	}
	p := &got[0]
	access := func(op event.Kind, thread uint32, index uint64) event.Step {
		return event.Step{Index: index, Event: event.Event{
			Op: op, Thread: thread, Target: things["x"], Pos: 100 + things["x"],
		}}
	}
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"first", p.First, access(event.Read, 1, 5)},
		{"second", p.Second, access(event.Write, 1, 8)},
		{"other", p.Entry, access(event.Write, 2, 14)},
		{"transaction", p.Transaction, event.Transaction{
			Thread: 1, Number: 2, Marked: true, First: 3, Pos: 1,
		}},
		{"other transaction", p.Entered.First, uint64(11)},
		{"values", p.ValuesDiffer, true},
		{"reads", p.OtherReads, false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}
