// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/finding"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/offline/replay"
	"github.com/commutego/commute/internal/trace/tracefile"
)

// A caller is a goroutine that makes calls that call back, one step at a time.
type caller struct {
	*Caller
	call *commrace.Call
	left bool
	do   chan func()
	done chan bool
}

func startSteps(number uint64) *caller {
	c := &caller{Caller: startCaller(), do: make(chan func()), done: make(chan bool)}
	c.RecordStart(nil, number, 0)
	go func() {
		for f := range c.do {
			f()
			c.done <- true
		}
	}()
	return c
}

// runs has the goroutine call f, and waits for that.
func (c *caller) runs(f func()) {
	c.do <- f
	<-c.done
}

// callbackSpec is fixture.MapSpec, whose Store and Load call back.
var callbackSpec = func() *commrace.Spec {
	spec := fixture.MapSpec
	spec.Methods = slices.Clone(spec.Methods)
	spec.Methods[fixture.Store].Callback = true
	spec.Methods[fixture.Load].Callback = true
	return &commrace.Spec{Of: &spec}
}()

// The steps that a caller can make.
const (
	stores  = 's' // a store begins
	loads   = 'l' // a load begins
	leaves  = 'c' // the call calls back
	resumes = 'r'
	ends    = 'e'
	frees   = 'f' // a lock is freed: by the call, or by the program in a callback or outside
	takes   = 't'
)

// step makes a step, if it can come now.
//
//go:noinline
func (c *caller) step(what byte, object unsafe.Pointer, lock uintptr, value int) {
	switch running := c.call != nil; {
	case what == stores && !running:
		c.begin(fixture.CallOf(fixture.Store, "key", value, nil, false), object)
	case what == loads && !running:
		c.begin(fixture.CallOf(fixture.Load, "key", value, true), object)
	case what == leaves && running && !c.left:
		c.left = true
		c.Leave(c.call)
	case what == resumes && c.left:
		c.left = false
		c.Resume(c.call)
	case what == ends && running && !c.left:
		c.End(c.call)
		c.call = nil
	case what == frees:
		c.RecordSync(lock, event.Release, 0)
		c.Release(lock)
	case what == takes:
		c.Acquire(lock)
		c.RecordSync(lock, event.Acquire, 0)
	}
}

// begin begins a call, which is made at one site as all are.
func (c *caller) begin(call *commrace.Call, object unsafe.Pointer) {
	c.call, call.Spec, call.Obj = call, callbackSpec, object
	var pcs [4]uintptr
	host.Callers(pcs[:], 0)
	call.SetPlace(commrace.Place{Site: pcs[1]})
	c.Begin(call)
}

// runSteps has three callers make steps: each is a number and what the caller does. It returns how
// many races the engine finds, and how many the analysis of the trace.
func runSteps(t *testing.T, steps string) (run, trace int) {
	t.Helper()
	fixture.Clear(t)
	option.Current.Level = option.All
	var out bytes.Buffer
	host.Output = func(fd uintptr, p []byte) bool {
		if fd == 7 {
			out.Write(p)
		}
		return true
	}
	defer func() { host.Output = nil }()
	record.Forget()
	recorder.Start(7, 0)
	defer recorder.Stop()
	callers := []*caller{startSteps(1), startSteps(2), startSteps(3)}
	memory := new([64]byte)
	kept = append(kept, memory) // no other object gets its address
	before := finding.Races()
	for i := 0; i < len(steps); i += 2 {
		c := callers[steps[i]-'0']
		c.runs(func() {
			c.step(steps[i+1], unsafe.Pointer(memory), uintptr(unsafe.Pointer(&memory[32])), i)
		})
	}
	run = int(finding.Races() - before)
	recorder.Stop()
	for _, c := range callers {
		close(c.do)
		c.Finish()
	}
	return run, racesIn(t, &out)
}

var kept []*[64]byte

// racesIn is how many races the analysis of a trace finds.
func racesIn(t *testing.T, data io.Reader) (races int) {
	t.Helper()
	f, err := tracefile.New(data, "trace", "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WantCalls()
	r := replay.New(f.Tables().Program, func(replay.Race) { races++ })
	defer r.Close()
	var events [64]event.Event
	for {
		n, err := f.Read(events[:])
		if err == io.EOF {
			return races
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Relation(f.Tables().Relation)
		r.Events(events[:n], f.CallSteps())
	}
}

// TestCallbacks has calls that overlap while they call back. A call that leaves joins one that is
// back from its callback, and none that is in it. The trace has to tell the two apart.
func TestCallbacks(t *testing.T) {
	for _, test := range []struct {
		name, steps string
		races       int
	}{
		{"both are in callbacks", "0s1s0f1f0c1c0r1r0e1e", 1},
		{"the other is back", "0s1s0f1f0c0r1c1r0e1e", 0},
		{"the other has left again", "0s1s0f1f0c0r0c1c0r1r0e1e", 1},
	} {
		run, trace := runSteps(t, test.steps)
		if run != test.races || trace != test.races {
			t.Errorf("%s: the run finds %d races and the analysis %d, want %d", test.name, run,
				trace, test.races)
		}
	}
}

// TestRandomCallbacks wants the analysis of a trace to find as many races as the run.
func TestRandomCallbacks(t *testing.T) {
	races := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var steps []byte
		for range 30 {
			steps = append(steps, byte('0'+r.IntN(3)), "sslcrcrcreeft"[r.IntN(13)])
		}
		run, trace := runSteps(t, string(steps))
		if races += run; run != trace {
			t.Fatalf("%s: the run finds %d races, and the analysis %d", steps, run, trace)
		}
	}
	if races < 100 {
		t.Errorf("%d races: that is too few to mean much", races)
	}
}

// A callback knows what its call has seen: also a change that was made since the callback before.
func TestLeavesAgain(t *testing.T) {
	fixture.Clear(t)
	a, b := &caller{Caller: startCaller()}, &caller{Caller: startCaller()}
	defer a.Finish()
	defer b.Finish()
	memory := new([64]byte)
	kept = append(kept, memory)
	steps := func(c *caller, steps string) {
		for i := range len(steps) {
			c.step(steps[i], unsafe.Pointer(memory), 0, 1)
		}
	}
	steps(a, "lcr")
	if !LeavesAgain(a.Caller, a.call) {
		t.Error("the second callback has something to learn")
	}
	if a.Clock.Hold(); !ResumesAgain(a.Caller, a.call) || a.Clock.Held() != 0 || !a.InCall {
		t.Error("the call is not back from its callback, with nothing held")
	}
	steps(b, "se")
	stored := b.Clock.Now()
	if a.Clock.Knows(stored) {
		t.Fatal("the change is known too early")
	}
	steps(a, "c")
	if !a.Clock.Knows(stored) {
		t.Error("the callback doesn't know of the change")
	}
	steps(a, "re")
	// A call that may change something is joined by others, and leaves by the long way.
	steps(a, "scr")
	if LeavesAgain(a.Caller, a.call) {
		t.Error("a change leaves without the lock")
	}
	a.Leave(a.call)
	if ResumesAgain(a.Caller, a.call) {
		t.Error("a change doesn't hold its epoch again")
	}
	a.Resume(a.call)
	steps(a, "e")
}

// A callback that ends by a panic need not be resumed: the end of an observation is enough. What
// the goroutine does then is the program's own.
func TestEndsInCallback(t *testing.T) {
	fixture.Clear(t)
	a, b := &caller{Caller: startCaller()}, &caller{Caller: startCaller()}
	defer a.Finish()
	defer b.Finish()
	memory := new([64]byte)
	kept = append(kept, memory)
	lock := uintptr(unsafe.Pointer(&memory[32]))
	steps := func(steps string) {
		for i := range len(steps) {
			a.step(steps[i], unsafe.Pointer(memory), lock, 1)
		}
	}
	steps("lcrc")
	call := a.call
	call.State = 0 // it has not returned
	a.End(call)
	a.call, a.left = nil, false
	if a.InCall || a.Clock.Held() != 0 || LeavesAgain(a.Caller, call) {
		t.Error("the call is under way still")
	}
	did := a.Clock.Tick()
	steps("f")
	b.Acquire(lock)
	if !b.Clock.Knows(did) {
		t.Error("what is released then is the call's")
	}
	steps("l")
	if !a.InCall {
		t.Error("no other call can begin")
	}
	steps("e")
}
