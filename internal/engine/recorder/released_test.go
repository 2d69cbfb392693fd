// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/petermattis/goid"
)

// A made is a step of a thread.
type made struct {
	raw.Record
	thread uint32
}

// steps are the steps of a trace in the order of their numbers.
func steps(t testing.TB, data []byte) (list []made) {
	t.Helper()
	r, err := raw.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for {
		c, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var rec raw.Record
		thread := uint32(0)
		for cursor := c.Records(); cursor.Next(&rec) == nil; {
			switch {
			case rec.Kind == event.Go:
				thread = uint32(rec.Args[0])
			case rec.Kind.Class() == event.OfMemory || rec.Kind.Acquires() || rec.Kind.Releases():
				list = append(list, made{rec, thread})
			}
		}
	}
	slices.SortFunc(list, func(a, b made) int { return int(a.Seq) - int(b.Seq) })
	return list
}

// knowledge is what each thread knows of the others' accesses, and what was released to addresses,
// by the order in which it is told of steps. An access has a position of its own.
type knowledge struct {
	threads  map[uint32]map[uint32]bool
	released map[uint64]map[uint32]bool
}

func (k *knowledge) thread(n uint32) map[uint32]bool {
	if k.threads[n] == nil {
		k.threads[n] = make(map[uint32]bool)
	}
	return k.threads[n]
}

// step takes a step. For an access it returns what its thread knows then.
func (k *knowledge) step(kind event.Kind, thread, pos uint32, addr uint64) map[uint32]bool {
	mine := k.thread(thread)
	if kind.Acquires() {
		for p := range k.released[addr] {
			mine[p] = true
		}
	}
	if kind.Releases() {
		if k.released[addr] == nil || !kind.Merges() {
			k.released[addr] = make(map[uint32]bool)
		}
		for p := range mine {
			k.released[addr][p] = true
		}
	}
	if kind == event.Write {
		mine[pos] = true
	}
	return mine
}

func newKnowledge() *knowledge {
	return &knowledge{make(map[uint32]map[uint32]bool), make(map[uint64]map[uint32]bool)}
}

// TestReleased has threads synchronize at random, on processors that change at random. Acquires by
// loads are left out where Released says that they add nothing. By the trace an access must know
// all that it knew in truth.
func TestReleased(t *testing.T) {
	left := 0
	for seed := range uint64(300) {
		left += checkReleased(t, rand.New(rand.NewPCG(seed, 1)))
	}
	if left < 1000 {
		t.Errorf("only %d acquires were left out", left)
	}
}

func checkReleased(t *testing.T, r *rand.Rand) (left int) {
	out := record(t, 0)
	on := uint32(0)
	host.Processor = func() uint32 { return on }
	defer func() { host.Processor = nil }()
	threads := make([]*Thread, 2+r.IntN(3))
	at := make([]uint32, len(threads))
	loaded := make([]map[uint64]uint64, len(threads))
	for i := range threads {
		threads[i], loaded[i] = &Thread{Number: uint32(i + 1)}, make(map[uint64]uint64)
	}
	truth, known := newKnowledge(), make(map[uint32]map[uint32]bool)
	for pos := uint32(1); pos < 400; pos++ {
		i := r.IntN(len(threads))
		if r.IntN(20) == 0 {
			at[i] = r.Uint32N(3)
		}
		on = at[i]
		me, addr := threads[i], uint64(8*(1+r.IntN(3)))
		kind := []event.Kind{event.Write, event.Acquire, event.Acquire, event.Acquire, event.Release,
			event.ReleaseMerge, event.AtomicLoad, event.AtomicStore, event.AtomicRMW}[r.IntN(9)]
		if kind == event.Release {
			// What was released goes, so who releases knows it: nobody else can have the lock.
			truth.step(event.Acquire, me.Number, pos, addr)
			Sync(event.Acquire, me, pos, addr)
		}
		now := truth.step(kind, me.Number, pos, addr)
		switch count := Released(addr); {
		case kind == event.Write:
			known[pos] = make(map[uint32]bool)
			for p := range now {
				known[pos][p] = true
			}
			Access(kind, me, pos, addr)
		case kind != event.Acquire || r.IntN(4) == 0:
			Sync(kind, me, pos, addr)
		case loaded[i][addr] == count+1:
			left++
		default:
			loaded[i][addr] = count + 1
			AcquireLoaded(me, pos, addr)
		}
	}
	Stop()
	trace := newKnowledge()
	for _, s := range steps(t, out.Bytes()) {
		now := trace.step(s.Kind, s.thread, s.Pos, s.Args[0])
		for p := range known[s.Pos] {
			if s.Kind == event.Write && !now[p] {
				t.Fatalf("by the trace access %d of thread %d doesn't know of access %d", s.Pos, s.thread, p)
			}
		}
	}
	return left
}

// TestReleasedConcurrently has goroutines read what others have published, each on a processor of
// its own. By the trace each read comes after what it has read was written.
func TestReleasedConcurrently(t *testing.T) {
	const rounds, readers = 20000, 3
	out := record(t, 0)
	var number sync.Map
	host.Processor = func() uint32 {
		g, _ := number.Load(goid.Get())
		return g.(uint32)
	}
	defer func() { host.Processor = nil }()
	var published atomic.Uint32
	var all sync.WaitGroup
	all.Go(func() {
		me := &Thread{Number: 1}
		number.Store(goid.Get(), me.Number)
		for i := range uint32(rounds) {
			Access(event.Write, me, i+1, 64)
			Sync(event.Release, me, 0, 8)
			published.Store(i + 1)
		}
	})
	for i := range uint32(readers) {
		all.Go(func() {
			me, last := &Thread{Number: i + 2}, ^uint64(0)
			number.Store(goid.Get(), me.Number)
			for v := uint32(0); v < rounds; {
				v = published.Load()
				if now := Released(8); now != last {
					last = now
					AcquireLoaded(me, 0, 8)
				}
				Access(event.Read, me, v, 128)
			}
		})
	}
	all.Wait()
	number.Store(goid.Get(), uint32(0))
	Stop()
	written := uint32(0)
	for _, s := range steps(t, out.Bytes()) {
		switch {
		case s.Kind == event.Write:
			written = s.Pos
		case s.Kind == event.Read && s.Pos > written:
			t.Fatalf("thread %d has read %d when %d was written", s.thread, s.Pos, written)
		}
	}
}

// TestAccesses has accesses with all sizes of positions, addresses and lengths come back as they
// were.
func TestAccesses(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	out := record(t, 0)
	threads := []*Thread{{Number: 1}, {Number: 1 << 20}}
	var want []string
	pos, addr := uint32(0), uint64(0)
	for range 100_000 {
		me := threads[r.IntN(40)/39]
		switch r.IntN(4) {
		case 0:
			pos++
		case 1:
			pos += uint32(r.Int32()) >> r.IntN(32)
		case 2:
			pos -= uint32(r.Int32()) >> r.IntN(32)
		}
		addr += r.Uint64() >> r.IntN(64)
		size, kind := r.Uint64()>>r.IntN(64), event.Read+event.Kind(r.IntN(2))
		if r.IntN(2) == 0 {
			Access(kind, me, pos, addr)
			size = 0
		} else {
			kind += event.ReadRange - event.Read
			Range(kind, me, pos, addr, size)
		}
		want = append(want, fmt.Sprint(me.Number, kind, pos, addr, size))
	}
	Stop()
	list := steps(t, out.Bytes())
	if len(list) != len(want) {
		t.Fatalf("%d steps, want %d", len(list), len(want))
	}
	for i, s := range list {
		got := fmt.Sprint(s.thread, s.Kind, s.Pos, s.Args[0], s.Args[1])
		if got != want[i] {
			t.Fatalf("step %d is %s, want %s", i, got, want[i])
		}
	}
}
