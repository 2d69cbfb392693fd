// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	gosync "sync"
	"testing"

	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
)

// recordTrace begins a trace, which the function that it returns ends and gives out.
func recordTrace(t testing.TB) func() []byte {
	if t, ok := t.(*testing.T); ok {
		fixture.Clear(t)
	}
	var out bytes.Buffer
	host.Output = func(_ uintptr, p []byte) bool {
		out.Write(p)
		return true
	}
	Forget()
	recorder.Start(7, 0)
	stop := func() []byte {
		recorder.Stop()
		return out.Bytes()
	}
	t.Cleanup(func() {
		stop()
		host.Output = nil
	})
	return stop
}

// startRecorded is a goroutine that knows nothing of others.
func startRecorded() *Recorded {
	g := new(Recorded)
	g.Reset()
	instance.Clocks.Start(&g.Clock)
	g.RecordStart(nil, 1, 0)
	return g
}

// typeTable is the table of a type of its own with the methods of mapSpec.
func typeTable(t testing.TB, name string) *commrace.Table {
	spec := fixture.MapSpec
	spec.TypeName = name
	keptSpecs = append(keptSpecs, &spec)
	table, ok := commrace.Build(&spec)
	if !ok {
		t.Fatal("the specification is more than a table can hold")
	}
	return table
}

// keptSpecs are those that tables refer to. In a program they are variables of packages.
var keptSpecs []*compiled.Table

// A definitions is what a trace has defined up to some place.
type definitions map[string]int

// definitionsOf reads a trace, and wants each step to come after the definitions that it needs.
func definitionsOf(t *testing.T, data []byte) (all definitions, calls int) {
	t.Helper()
	r, err := raw.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	all = make(definitions)
	lacks := make(map[string]bool)
	need := func(format string, args ...any) {
		if what := fmt.Sprintf(format, args...); all[what] == 0 && !lacks[what] {
			lacks[what] = true
			t.Errorf("the trace has no %s before a step that needs it", what)
		}
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			return all, calls
		}
		if err != nil {
			t.Fatal(err)
		}
		var rec raw.Record
		for cursor := c.Records(); cursor.Next(&rec) == nil; {
			switch rec.Kind {
			case event.ObjName, event.Point, event.Method, event.Position, event.Role,
				event.Section,
				event.Goroutine:
				all[fmt.Sprintf("%v %d", rec.Kind.Name(), rec.Args[0])]++
			case event.Key:
				all[fmt.Sprintf("Key %x", rec.Args[0])]++
			case event.CallSite:
				all[fmt.Sprintf("CallSite %d %d", rec.Args[0], rec.Args[1])]++
			case event.Go:
				need("Goroutine %d", rec.Args[0])
			case event.Begin:
				need("Section %d", rec.Args[0])
			case event.Call:
				calls++
				need("ObjName %d", rec.Args[0])
				need("Method %d", rec.Args[1])
				need("Role %d", rec.Args[1])
				need("Position %d", rec.Pos)
				need("CallSite %d %d", rec.Pos, rec.Args[1])
			case event.Touch, event.TouchKey:
				need("Point %d", rec.Args[1])
				if rec.Kind == event.TouchKey {
					need("Key %x", rec.Args[2])
				}
			}
		}
	}
}

// recordStores has a goroutine store a value at each of some keys.
//
//go:noinline
func recordStores(g *Recorded, o *sync.Object, keys ...any) {
	for _, key := range keys {
		g.RecordAgain(o, fixture.CallOf(fixture.Store, key, 1))
	}
}

// whoPauses gives out the goroutines that wait for a lock, each once, until the test ends.
func whoPauses(t *testing.T) <-chan uint64 {
	waits := make(chan uint64, 16)
	var seen gosync.Map
	host.Paused = func() {
		if _, again := seen.LoadOrStore(host.Goid(), true); !again {
			waits <- host.Goid()
		}
	}
	t.Cleanup(func() { host.Paused = nil })
	return waits
}

// TestDefinitionsComeFirst stops a goroutine while it defines a call site. Another makes a call
// there meanwhile: it must not go on to its step, which would be in the trace before the
// definition.
func TestDefinitionsComeFirst(t *testing.T) {
	stop := recordTrace(t)
	o := sync.FindObject(0x7000_0000, typeTable(t, "first.Map"), 0)
	g, h := startRecorded(), startRecorded()
	waits, done := whoPauses(t), make(chan bool, 2)
	call := func(g *Recorded) {
		recordStores(g, o, "k")
		done <- true
	}
	source.Registered.Lock.Lock() // who defines a call site takes it
	go call(g)
	<-waits
	go call(h)
	var data []byte
	select {
	case <-waits:
		source.Registered.Lock.Unlock()
		<-done
		<-done
		data = stop()
	case <-done: // it did not wait: what it has recorded is all
		data = stop()
		source.Registered.Lock.Unlock()
		<-done
	}
	if _, calls := definitionsOf(t, data); calls != 2 {
		t.Errorf("%d calls are in the trace, want 2", calls)
	}
}

// TestManyTypes has goroutines call many types at once. Each object, point, method and section must
// be defined once, and before what needs it.
func TestManyTypes(t *testing.T) {
	const types, callers = 400, 6
	stop := recordTrace(t)
	objects := make([]*sync.Object, types)
	for i := range objects {
		objects[i] = sync.FindObject(uintptr(0x7100_0000+64*i),
			typeTable(t, fmt.Sprintf("many.Map%d", i)), 0)
	}
	places := make([]atomicity.AtomicCode, types)
	var wg gosync.WaitGroup
	for w := range callers {
		g := startRecorded()
		wg.Go(func() {
			for i := range objects {
				n := (i + w*types/callers) % types
				g.RecordBegin(&places[n])
				recordStores(g, objects[n], "a", n, "a")
				g.RecordAgain(objects[n], fixture.CallOf(fixture.Load, n))
				g.RecordEnd()
			}
		})
	}
	wg.Wait()
	all, calls := definitionsOf(t, stop())
	if calls != 4*types*callers {
		t.Errorf("%d calls are in the trace, want %d", calls, 4*types*callers)
	}
	counts := make(map[string]int)
	for what, n := range all {
		kind, _, _ := strings.Cut(what, " ")
		counts[kind]++
		if n != 1 && kind != "CallSite" && kind != "Key" {
			t.Errorf("%s is defined %d times", what, n)
		}
	}
	table := fixture.MapTable(t)
	for kind, want := range map[string]int{
		"ObjName": types, "Point": types * table.Points(), "Method": types * table.Len(),
		"Role": types * 2, "Section": types,
	} {
		if counts[kind] != want {
			t.Errorf("%d definitions of kind %s, want %d", counts[kind], kind, want)
		}
	}
}

func BenchmarkRecordCall(b *testing.B) {
	for _, types := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("%d_types", types), func(b *testing.B) {
			stop := recordTrace(b)
			host.Output = func(uintptr, []byte) bool { return true }
			g := startRecorded()
			objects := make([]*sync.Object, types)
			for i := range objects {
				objects[i] = sync.FindObject(uintptr(0x7200_0000+64*i),
					typeTable(b, fmt.Sprintf("bench.Map%d", i)), 0)
			}
			c := fixture.CallOf(fixture.Load, "k")
			b.ResetTimer()
			for i := range b.N {
				g.RecordAgain(objects[i%types], c)
			}
			b.StopTimer()
			stop()
		})
	}
}
