// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"bytes"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/section"
	engine "github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/native"
)

// A recordedActor makes events as the hooks of a watched program do: the engine is told of each,
// and the recorder.
type recordedActor struct {
	record.Recorded
	run     *recordedRun
	entered []*section.Activation
	holds   int // the lock that it holds and 1, 0 for none
	reads   bool
}

// A recordedRun is a random program under the engine's eyes, and the recorder's.
type recordedRun struct {
	*rand.Rand
	base    uintptr // of its memory
	actors  []*recordedActor
	timer   *recordedActor
	touches []*compiled.SectionTouch
	atomics []*compiled.SectionTouch
	funcs   []*compiled.SectionFunc
	sites   []*compiled.LockSite
	readers [2]int // of each lock; -1 is a writer
	values  map[[2]uint64]uint64
	found   []string
	kept    []any // what the engine refers to
}

// lineOf is a finding in words. The numbers of goroutines are those of the trace.
func lineOf(f *section.Finding) string {
	e := func(e *section.Event) string {
		return fmt.Sprintf("%s by %d of %x (was %x)", e.Touch.P().Name, e.Goid, e.Value, e.Was)
	}
	return fmt.Sprintf("%s pair %d, evidence %d, seldom %v: %s, %s, %s at %#x[%x] under %#x",
		f.Func.P().Code.Name, f.Pair, f.Evidence, f.Seldom, e(&f.Check), e(&f.Act), e(&f.Other),
		f.Object, f.Key, f.Lock)
}

// The methods of section.Sink. Goid is as a replay has it.

func (a *recordedActor) Capture(e *section.Event)  { e.Goid = uint64(a.InTrace.Number) + 1 }
func (a *recordedActor) Report(f *section.Finding) { a.run.found = append(a.run.found, lineOf(f)) }

var goids uint64

// start starts an actor, by another one or by nobody.
func (r *recordedRun) start(by *recordedActor) *recordedActor {
	a := &recordedActor{run: r}
	a.Reset()
	goids++
	if by == nil {
		instance.Clocks.Start(&a.Clock)
		a.RecordStart(nil, goids, 0)
	} else {
		by.Thread.Fork(&a.Thread, goids)
		a.RecordStart(&by.Recorded, goids, 0)
	}
	r.actors = append(r.actors, a)
	r.kept = append(r.kept, a)
	return a
}

// emit is what template events.go does.
func (a *recordedActor) emit(addr uintptr, k event.Kind) {
	if k.Releases() && !k.Atomic() {
		a.RecordSync(addr, k, 0)
	}
	switch k {
	case event.Acquire, event.AtomicLoad, event.AtomicDone:
		a.Acquire(addr)
	case event.Release, event.AtomicStore:
		a.Release(addr)
	case event.ReleaseMerge:
		a.ReleaseMerge(addr)
	case event.ReleaseAcquire:
		a.ReleaseAcquire(addr)
	case event.AtomicRMW:
		a.Acquire(addr)
		a.AtomicRMW(addr)
	case event.PlainRMW:
		a.PlainRMW(addr)
	case event.TimerSet:
		a.Set(addr)
	}
	if k.Releases() {
		a.Weak.Section.Deliver(a)
	}
	if !k.Releases() || k.Atomic() {
		a.RecordSync(addr, k, 0)
	}
}

// lock takes a lock, if it is free: a RWMutex, which has two addresses.
func (a *recordedActor) lock(i int, read bool) {
	r := a.run
	if a.holds != 0 || r.readers[i] < 0 || r.readers[i] > 0 && !read {
		return
	}
	addr := r.base + uintptr(i)*64
	n := 2 // most sections are complete
	if read {
		n = 3
	}
	if r.Intn(12) == 0 {
		n -= 2
	}
	if site := r.sites[n]; r.Intn(16) > 0 {
		a.RecordLocking(site, addr)
		a.Weak.Section.Locking(site, addr, a)
	}
	a.emit(addr+8, event.Acquire)
	if !read {
		a.emit(addr+16, event.Acquire)
		r.readers[i] = -1
	} else {
		r.readers[i]++
	}
	a.holds, a.reads = i+1, read
}

// unlock releases the lock that a has, if it has one.
func (a *recordedActor) unlock() {
	if a.holds == 0 {
		return
	}
	addr := a.run.base + uintptr(a.holds-1)*64
	if a.reads {
		a.emit(addr+16, event.ReleaseMerge)
		a.run.readers[a.holds-1]--
	} else {
		a.emit(addr+8, event.Release)
		a.run.readers[a.holds-1] = 0
	}
	a.holds = 0
}

// operate makes an atomic operation, which mostly is announced, as instrumented code does and
// template events.go. An operation that is announced isn't always made: a CompareAndSwap may fail.
func (a *recordedActor) operate() {
	r := a.run
	p := r.atomics[r.Intn(len(r.atomics))]
	addr := r.base + 1024 + uintptr(p.At.Number)*32
	size := uintptr(4) << (p.At.Number % 3) // 16 is that of an atomic.Value
	if r.Intn(16) > 0 {
		a.Weak.Section.Announce(p, addr, size, a)
		a.RecordAnnounced(p, addr, size, 0)
	}
	op, kind := p.Op, event.AtomicRMW
	switch {
	case r.Intn(24) == 0:
		return
	case op == compiled.UpdateVar && r.Intn(8) == 0:
		op = compiled.ReadVar
	}
	switch op {
	case compiled.ReadVar:
		kind = event.AtomicLoad
	case compiled.WriteVar:
		kind = event.AtomicStore
		if size == 16 && r.Intn(2) == 0 {
			addr += 8
		}
	}
	a.emit(addr, kind)
	if !a.Weak.Section.Making(addr, op, false) {
		return
	}
	a.Operated(func(addr, _ uintptr) uint64 {
		at := [2]uint64{uint64(addr)}
		if op != compiled.ReadVar {
			r.values[at] = uint64(r.Intn(4)) - 1
		}
		return r.values[at]
	})
	a.Weak.Section.Deliver(a)
	if op != compiled.WriteVar {
		a.emit(addr, event.AtomicDone)
	}
}

// touch is what template sections.go and package call do.
func (a *recordedActor) touch() {
	r := a.run
	if a.holds == 0 && r.Intn(40) > 0 {
		return
	}
	p := r.touches[r.Intn(len(r.touches))]
	object := r.base + 256 + uintptr(p.At.Number%3)*8
	full, matters := a.Weak.Section.Note(p, object)
	if matters {
		a.RecordTouch(&record.Touched{At: p, Object: object})
	}
	if !full {
		return
	}
	t := record.Touched{At: p, Object: object, Full: true}
	at := [2]uint64{uint64(object)}
	switch p.Op {
	case compiled.Lookup, compiled.Insert:
		t.Keyed, t.Key = true, uint64(1+r.Intn(2))
		at[1] = t.Key
	}
	if p.Op == compiled.WriteVar || p.Op == compiled.Insert {
		r.values[at] = uint64(1 + r.Intn(4))
		t.Length = uint64(p.Op) / uint64(compiled.Insert)
	}
	t.Value = r.values[at]
	a.Weak.Section.Touch(a, p, object, t.Key, t.Value, t.Length)
	a.RecordTouch(&t)
}

func (a *recordedActor) enter() {
	if len(a.entered) == 3 || len(a.run.funcs) == 0 {
		return
	}
	f := a.run.funcs[a.run.Intn(len(a.run.funcs))]
	x := new(section.Activation)
	a.run.kept = append(a.run.kept, x)
	if a.Weak.Section.Enter(x, f); a.Weak.Section.Entered(x) != 0 {
		a.RecordEntered(f)
		a.entered = append(a.entered, x)
	}
}

// leave leaves a function, and those that it has called.
func (a *recordedActor) leave() {
	if n := len(a.entered); n > 0 {
		n -= 1 + a.run.Intn(min(n, 2))
		a.RecordLeaves(a.Weak.Section.Entered(a.entered[n]))
		a.Weak.Section.Leave(a.entered[n], a)
		a.entered = a.entered[:n]
	}
}

// exit ends an actor.
func (a *recordedActor) exit() {
	a.unlock()
	recorder.Step(event.Exit, &a.InTrace, 0)
	a.Weak.Section.Deliver(a)
	a.Finish()
	a.run.actors = slices.DeleteFunc(a.run.actors, func(b *recordedActor) bool { return a == b })
}

// other makes an event that orders a with others, or none.
func (a *recordedActor) other() {
	r := a.run
	addr := r.base + 512 + uintptr(r.Intn(2))*16
	kinds := []event.Kind{event.Acquire, event.Release, event.ReleaseMerge, event.ReleaseAcquire,
		event.AtomicLoad, event.AtomicStore, event.AtomicRMW, event.PlainRMW}
	switch n := r.Intn(24); {
	case n < len(kinds):
		a.emit(addr, kinds[n])
	case n < 12:
		a.OrderWeak(addr)
		a.RecordOrder(addr)
	case n == 12 && len(r.actors) > 1:
		b := r.actors[r.Intn(len(r.actors))]
		if b != a {
			a.RecordMeeting(&b.Recorded, addr)
			a.Rendezvous(&b.Thread)
		}
	case n == 13 && len(r.actors) < 4:
		r.start(a)
	case n == 14 && len(r.actors) > 2:
		a.exit()
	case n == 15: // a timer starts a function
		a.emit(addr, event.TimerSet)
		r.timer.RecordTimer(addr, true)
		r.timer.Acquire(addr)
		if len(r.actors) < 4 {
			r.start(r.timer)
		}
	case n == 16 && r.Intn(3) == 0:
		recorder.Step(event.AcquireAll, &a.InTrace, 0)
		a.JoinAll()
	case n == 17 && r.Intn(4) == 0:
		recorder.Fresh(uint64(r.base)+256, 256)
		engine.Free(r.base+256, 256)
	}
}

// kept are the packages that were registered: the engine keeps their addresses.
var kept []*compiled.SectionRegistration

// aRun makes a program: places, functions with pairs, and goroutines.
func aRun(seed int64, timer *recordedActor) *recordedRun {
	r := &recordedRun{Rand: rand.New(rand.NewSource(seed)), values: make(map[[2]uint64]uint64)}
	r.base = 0xc000000000 + uintptr(seed)<<13
	r.timer = timer
	timer.run = r
	ops := []compiled.TouchOp{compiled.ReadVar, compiled.WriteVar, compiled.Lookup, compiled.Insert}
	for i := range 6 + r.Intn(6) {
		t := &compiled.SectionTouch{Op: ops[r.Intn(len(ops))], Name: fmt.Sprint("v", i)}
		if t.At.Number = 3 + i%2; t.Op >= compiled.Lookup {
			t.At.Number = 5
		}
		r.touches = append(r.touches, t)
		instance.Sections.Heat(t)
	}
	for i, op := range []compiled.TouchOp{compiled.ReadVar, compiled.WriteVar, compiled.UpdateVar,
		compiled.ReadVar, compiled.WriteVar} {
		t := &compiled.SectionTouch{Op: op, Name: fmt.Sprint("a", i), Atomic: compiled.AtomicSigned}
		t.At.Number = i / 3 * int(1+seed%2)
		r.atomics = append(r.atomics, t)
		instance.Sections.Heat(t)
	}
	reg := &compiled.SectionRegistration{Funcs: make([]compiled.SectionFunc, 2)}
	kept = append(kept, reg)
	for i := range reg.Funcs {
		f := &reg.Funcs[i]
		f.Code.Name = fmt.Sprintf("p%d.f%d", seed, i)
		for range 40 {
			check, act := r.touches[r.Intn(len(r.touches))], r.touches[r.Intn(len(r.touches))]
			if check.Op != compiled.ReadVar && check.Op != compiled.Lookup ||
				act.Op != check.Op+1 || act.At != check.At || len(f.Pairs) == 3 {
				continue
			}
			f.Pairs = append(f.Pairs, compiled.SectionPair{Check: check, Act: act,
				Shape: []compiled.Shape{compiled.LostUpdate, compiled.DeletedAfter, compiled.Created,
					compiled.Registered}[r.Intn(4)], Value: r.Intn(2) == 0, Always: r.Intn(4) == 0,
				Fill: r.Intn(8) == 0})
		}
		for range r.Intn(3) {
			of := r.Intn(2) * 3
			f.Pairs = append(f.Pairs, compiled.SectionPair{Check: r.atomics[of],
				Act: r.atomics[of+1], Shape: compiled.FlagSet, Value: r.Intn(3) == 0})
		}
	}
	record.RegisterSections(reg)
	for i := range reg.Funcs {
		if len(reg.Funcs[i].Pairs) > 0 {
			r.funcs = append(r.funcs, &reg.Funcs[i])
		}
	}
	for i := range 4 {
		r.sites = append(r.sites, &compiled.LockSite{Lock: "p.mu", Size: 24, Read: i%2 == 1,
			Complete: i > 1})
	}
	for range 3 {
		r.start(nil)
	}
	return r
}

// recordRuns runs random programs under the engine's eyes, and records them. It returns what the
// engine has found, and the trace. A program can record but one trace, so this is done once.
var recordRuns = sync.OnceValues(func() (online []string, trace []byte) {
	var out bytes.Buffer
	host.Output = func(_ uintptr, p []byte) bool {
		out.Write(p)
		return true
	}
	recorder.Start(7, 0)
	timer := new(recordedActor)
	timer.Reset()
	timer.TimerContext = true
	var kept []any
	for seed := range int64(6000) {
		r := aRun(seed, timer)
		kept = append(kept, r)
		for range 400 {
			a := r.actors[r.Intn(len(r.actors))]
			switch n := r.Intn(64); {
			case n < 14:
				a.lock(r.Intn(3)/2, r.Intn(4) == 0)
			case n < 28:
				a.unlock()
			case n < 32:
				a.enter()
			case n < 34:
				a.leave()
			case n < 35+int(seed%3)*2: // in some programs more is ordered
				a.other()
			case n < 42+int(seed%2)*8:
				a.operate()
			default:
				a.touch()
			}
		}
		for len(r.actors) > 0 {
			r.actors[0].exit()
		}
		online = append(online, r.found...)
	}
	recorder.Stop()
	host.Output = nil
	runtime.KeepAlive(kept)
	return online, out.Bytes()
})

// TestSectionsAgree wants the replay of a trace to find what the engine has found in the program
// that was recorded, in the same order.
func TestSectionsAgree(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("a program with addresses of 32 bits has no weak clocks")
	}
	online, trace := recordRuns()
	offline := replayed(t, trace)
	for i := range max(len(online), len(offline)) {
		if i >= len(online) || i >= len(offline) || online[i] != offline[i] {
			t.Fatalf("of %d and %d findings, number %d differs:\n%v\n%v", len(online), len(offline),
				i, online[i:min(i+1, len(online))], offline[i:min(i+1, len(offline))])
		}
	}
	if len(online) < 150 {
		t.Errorf("%d findings are too few", len(online))
	}
	t.Logf("%d findings, %d bytes", len(online), len(trace))
}

// replayed is what the replay of a trace finds.
func replayed(t *testing.T, data []byte) (list []string) {
	t.Helper()
	r, err := native.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	r.WantSections()
	s := NewSections(r.Tables().Program, func(_ *trace.SectionFunc, f *section.Finding) {
		list = append(list, lineOf(f))
	})
	defer s.Close()
	var batch [64]event.Event
	for {
		_, err := r.Read(batch[:])
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Steps(r.Sections())
	}
}
