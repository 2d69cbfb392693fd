// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/petermattis/goid"
)

// record begins a trace that is kept in memory, and ends it with the test.
func record(t testing.TB, limit uint64) *bytes.Buffer {
	var out bytes.Buffer
	host.Output = func(_ uintptr, p []byte) bool {
		out.Write(p)
		return true
	}
	reset()
	Start(7, limit)
	t.Cleanup(func() {
		Stop()
		host.Output = nil
	})
	return &out
}

// reset forgets the last trace.
func reset() {
	file = output{}
	definitions.n, definitions.positions = 0, 0
	next.Store(0)
	frees.Store(0)
	epoch.Store(0)
	for i := range shards {
		shards[i] = shard{buf: shards[i].buf}
	}
}

// read is all events of a trace, each as "thread op target", with a ~ if it is silent, and = if it
// is only a conflict.
func read(t *testing.T, data []byte) (list []string, r *native.Reader) {
	t.Helper()
	r = eachEvent(t, data, func(e event.Event) {
		flags := ""
		if e.Flags&event.Silent != 0 {
			flags = "~"
		}
		if e.Flags&event.Only != 0 {
			flags += "="
		}
		list = append(list, fmt.Sprintf("%s%d %v %d", flags, e.Thread, e.Op, e.Target))
	})
	return list, r
}

func eachEvent(t *testing.T, data []byte, do func(event.Event)) *native.Reader {
	t.Helper()
	r, err := native.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var batch [64]event.Event
	for {
		n, err := r.Read(batch[:])
		if err == io.EOF {
			return r
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range batch[:n] {
			do(e)
		}
	}
}

func TestSteps(t *testing.T) {
	out := record(t, 0)
	one, two := &Thread{Number: 1}, &Thread{Number: 2}
	outer := Position(0x10, 0, 3, "main.main", "/x/main.go")
	inner := Position(0x20, outer, 8, "x.(*Map[go.shape.int]).Get", "/x/x.go")
	Watched(inner)
	Goroutine(one, 1, 0, 0)
	Goroutine(two, 18, 1, inner)
	Section(4, "x.F", "/x/x.go:9")
	Test(1, "TestX/a b")
	Member(2, 1)
	Role(3, "mutator")
	Formula(3, 4, true, "k1 != k2", "/x/x.ecl:3:4")
	CallSite(2, 3, Ignored|Meant, "field", "Map.m", "/x/x.go:5")
	Key(0x1122334455667788, `"k"`)
	StepOf(event.Fork, one, inner, 2)
	StepOf(event.Begin, two, 0, 4)
	Access(event.Write, two, inner, 0xc000100008)
	Range(event.ReadRange, two, inner, 0xc000100006, 4)
	Sync(event.Release, two, inner, 0xc000200000)
	Sync(event.AtomicLoad, two, inner, 0xc000200000)
	Step(event.Hide, two, 0)
	Access(event.Read, two, inner, 0xc000100008)
	Sync(event.AtomicRMW, two, 0, 0xc000200000)
	Step(event.Show, two, 0)
	Step(event.End, two, 0)
	Sync(event.Acquire, one, 0, 0xc000200000)
	Fresh(0xc000100000, 64)
	Access(event.Read, one, outer, 0xc000100008)
	Step(event.AcquireAll, one, 0)
	Step(event.Exit, two, 0)
	Stop()
	got, r := read(t, out.Bytes())
	want := []string{
		"1 fork 2", "2 begin 0", "2 write 0", "2 read 1", "2 read 0", "2 read 2", "2 release 2",
		"~2 acquire 2", "=2 read 3", "~2 read 0",
		"~2 acquire 2", "~=2 write 3", "~2 release-merge 2", "2 end 0",
		"~1 acquire 2", "~1 read 4", "~1 release-merge 1", "~2 release-merge 1",
		"~0 release-merge 1", "~1 acquire 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if bytes, steps := r.Cut(); bytes != 0 || steps != 0 {
		t.Errorf("%d bytes and %d steps are lost", bytes, steps)
	}
	names := strings.Join(texts(t, out.Bytes()), "\n")
	for _, want := range []string{`func="x.(*Map[...]).Get" file="/x/x.go"`, `name="x.F /x/x.go:9"`,
		"Goroutine id=2 goid=18 parent=1 pos=2",
		`Test id=1 name="TestX/a b"`, "Member goroutine=2 test=1", `Role method=3 role="mutator"`,
		`Formula method=3 other=4 results=1 text="k1 != k2" at="/x/x.ecl:3:4"`,
		`CallSite pos=2 method=3 flags=3 kind="field" name="Map.m" at="/x/x.go:5"`,
		`Key hash=0x1122334455667788 text="\"k\""`} {
		if !strings.Contains(names, want) {
			t.Errorf("no %s in\n%s", want, names)
		}
	}
}

// texts are the lines of the trace's text form.
func texts(t *testing.T, data []byte) []string {
	t.Helper()
	r, err := raw.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := raw.Print(&b, r); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}

// TestMany has goroutines, which change processors all the time, record what some lock orders, over
// many chunks; the trace has it in that order, and the steps of each goroutine in theirs.
func TestMany(t *testing.T) {
	const threads, rounds = 4, 20000
	out := record(t, 0)
	var on [threads + 1]atomic.Uint32 // which processor a goroutine is on
	var number sync.Map
	host.Processor = func() uint32 {
		g, _ := number.Load(goid.Get())
		return on[g.(uint32)].Load()
	}
	defer func() { host.Processor = nil }()
	var wg sync.WaitGroup
	var mu sync.Mutex
	turn := uint32(0)
	for g := range uint32(threads) {
		wg.Go(func() {
			me := &Thread{Number: g + 1}
			number.Store(goid.Get(), me.Number)
			r, own := rand.New(rand.NewPCG(1, uint64(g))), uint32(0)
			for range rounds {
				if r.Uint32N(100) == 0 {
					on[me.Number].Store(r.Uint32N(3))
				}
				mu.Lock()
				Sync(event.Acquire, me, 0, 8)
				Access(event.Write, me, turn, 64)
				turn++
				Sync(event.Release, me, 0, 8)
				mu.Unlock()
				if r.Uint32N(100) == 0 {
					on[me.Number].Store(r.Uint32N(3))
				}
				Access(event.Read, me, own, 128)
				own++
			}
		})
	}
	wg.Wait()
	number.Store(goid.Get(), uint32(0))
	Stop()
	turns, owns := uint32(0), map[uint32]uint32{}
	eachEvent(t, out.Bytes(), func(e event.Event) {
		switch {
		case e.Op == event.Write && e.Pos != turns:
			t.Fatalf("turn %d of thread %d where turn %d should be", e.Pos, e.Thread, turns)
		case e.Op == event.Write:
			turns++
		case e.Op == event.Read && e.Pos != owns[e.Thread]:
			t.Fatalf("read %d of thread %d where read %d should be", e.Pos, e.Thread,
				owns[e.Thread])
		case e.Op == event.Read:
			owns[e.Thread]++
		}
	})
	if turns != threads*rounds {
		t.Errorf("%d writes, want %d", turns, threads*rounds)
	}
	if n := len(texts(t, out.Bytes())); n < 4*threads*rounds {
		t.Errorf("%d lines", n)
	}
}

// TestRenew has memory that is freed on one processor be used anew on another.
func TestRenew(t *testing.T) {
	out := record(t, 0)
	on := uint32(0)
	host.Processor = func() uint32 { return on }
	defer func() { host.Processor = nil }()
	one := &Thread{Number: 1}
	Access(event.Write, one, 0, 0x1000)
	on = 1
	Fresh(0x1000, 8)
	on = 0
	Access(event.Write, one, 0, 0x1000)
	Stop()
	if got, _ := read(t, out.Bytes()); !slices.Equal(got, []string{"~1 write 0", "~1 write 1"}) {
		t.Errorf("got %q", got)
	}
}

// TestLow has processors go on after their buffers, or others', were written.
func TestLow(t *testing.T) {
	out := record(t, 0)
	on := uint32(0)
	host.Processor = func() uint32 { return on }
	defer func() { host.Processor = nil }()
	one, two := &Thread{Number: 1}, &Thread{Number: 2}
	for range 3 {
		on = 0
		Access(event.Write, one, 0, 0x1000)
		shards[0].flush(0)
		Access(event.Write, one, 0, 0x1000)
		shards[0].flush(0)
		on = 1
		Access(event.Write, two, 0, 0x2000)
		shards[1].flush(0)
	}
	Stop()
	if got, _ := read(t, out.Bytes()); len(got) != 9 {
		t.Errorf("got %q", got)
	}
}

func TestChecksum(t *testing.T) {
	makeTables()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 100 {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		want := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
		if got := checksum(checksum(0, data[:n/3]), data[n/3:]); got != want {
			t.Fatalf("%d bytes: %08x, want %08x", n, got, want)
		}
	}
	var b [8]byte
	put64(b[:], 0x0102030405060708)
	if binary.LittleEndian.Uint64(b[:]) != 0x0102030405060708 {
		t.Error(b)
	}
}

func BenchmarkAccess(b *testing.B) {
	record(b, 0)
	host.Output = func(uintptr, []byte) bool { return true }
	b.ReportAllocs()
	one, i := &Thread{Number: 1}, uint64(0)
	for b.Loop() {
		Access(event.Write, one, uint32(i>>4), 0xc000000000+i%4096*8)
		i++
	}
}

// TestHeldBack has a processor that does hardly anything: the steps of another become ready to be
// given out all the same.
func TestHeldBack(t *testing.T) {
	out := record(t, 0)
	on := uint32(0)
	host.Processor = func() uint32 { return on }
	defer func() { host.Processor = nil }()
	one, two := &Thread{Number: 1}, &Thread{Number: 2}
	for i := range uint32(300_000) {
		if on = 0; i%100_000 == 0 {
			on = 1
			Access(event.Write, two, 0, 0x2000)
			on = 0
		}
		Sync(event.Release, one, i*7, 0x1000)
	}
	Stop()
	chunks, err := raw.NewReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	held, most := 0, 0
	for {
		c, err := chunks.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if held += len(c.Payload); c.Low > c.First {
			held = 0
		}
		most = max(most, held)
	}
	if most == 0 || most > 8*bufSize {
		t.Errorf("a reader has to keep the steps of %d bytes", most)
	}
}
