// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracegen"
)

func TestAddresses(t *testing.T) {
	const text = `commute trace 1
Definitions codec=s2
Meta key="addresses" value="true"
VarName id=824633720832 name="x"
Events codec=s2 first=0 low=99 ordered=true
Go goroutine=1
Read var=824633720840 pos=1
Write var=824633720832 pos=2
Fresh address=0xc000000000 size=8 pos=3
Write var=824633720832 pos=4
AtomicRMW lock=18446744073709551614 pos=5
TouchKey object=5 point=0 key=0x7 pos=6
Touch object=5 point=0 pos=6
TouchKey object=5 point=0 key=0x7 pos=7
`
	var file bytes.Buffer
	if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(r, 100)
	want := []event.Event{
		{Op: event.Read, Thread: 1, Target: 0, Pos: 1},
		{Op: event.Write, Thread: 1, Target: 1, Pos: 2},
		{Op: event.Write, Thread: 1, Target: 2, Pos: 4},
		{Op: event.Acquire, Thread: 1, Target: allLock + 1, Pos: 5},
		{Op: event.ReleaseMerge, Thread: 1, Target: allLock + 1, Pos: 5},
		{Op: event.Touch, Thread: 1, Target: 0, Pos: 6},
		{Op: event.Touch, Thread: 1, Target: 1, Pos: 6},
		{Op: event.Touch, Thread: 1, Target: 0, Pos: 7},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: got\n%vwant\n%v", err, tracegen.Trace{Events: got},
			tracegen.Trace{Events: want})
	}
	if name := r.Tables().Vars.Name(1); name != "x" {
		t.Errorf("variable 1 is %s, want x", name)
	}
	if name := r.Tables().Objects.Name(0); name != "O5[0x7]" {
		t.Errorf("object 0 is %s, want O5[0x7]", name)
	}
}

// TestAtomicsAreForgotten wants an atomic operation in new memory to be of another variable and
// another lock than the operations before.
func TestAtomicsAreForgotten(t *testing.T) {
	const text = `commute trace 1
Definitions codec=plain
Meta key="addresses" value="true"
Meta key="quiet" value="true"
Events codec=plain first=0 low=99 ordered=false
Go goroutine=1
AtomicStore lock=824633720832 pos=1
AtomicStore lock=824633720832 pos=2
Fresh address=0xc000000000 size=8 pos=3
AtomicStore lock=824633720832 pos=4
`
	var file bytes.Buffer
	if err := raw.Parse(&file, strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := all(r, 100)
	if err != nil || len(got) != 6 {
		t.Fatalf("%v: got\n%v", err, tracegen.Trace{Events: got})
	}
	for i := range 2 { // a write, and a release
		if got[i].Target != got[i+2].Target || got[i].Target == got[i+4].Target {
			t.Errorf("%v: numbers %d, %d, and then %d", got[i].Op, got[i].Target, got[i+2].Target,
				got[i+4].Target)
		}
	}
}

// TestManyAddresses wants forgotten addresses to have new numbers, and no others to, in tables of
// many sizes.
func TestManyAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var table addressTable
	model := make(map[uint64]uint32)
	next := uint32(0)
	for range 200000 {
		a := uint64(r.IntN(5000))
		if r.IntN(100) == 0 {
			size := uint64(r.IntN(1 << r.IntN(13)))
			want := make(map[uint64]bool)
			for b := range size {
				if _, ok := model[a+b]; ok {
					want[a+b] = true
					delete(model, a+b)
				}
			}
			table.forget(a, size, func(address uint64) {
				if !want[address] {
					t.Fatalf("address %d is forgotten from %d to %d, "+
						"and it had no number, or is told twice", address, a, a+size)
				}
				delete(want, address)
			})
			if len(want) > 0 {
				t.Fatalf("of %d addresses from %d it's not told that they are forgotten", len(want),
					a)
			}
			continue
		}
		want, ok := model[a]
		if !ok {
			want, next = next, next+1
			model[a] = want
		}
		if got := table.number(a); got != want {
			t.Fatalf("address %d has number %d, want %d", a, got, want)
		}
	}
	if len(table.numbers) != len(model) {
		t.Errorf("the table has %d addresses, want %d", len(table.numbers), len(model))
	}
}

// BenchmarkAddresses is locks in memory that is used and then is new, and in memory that stays.
func BenchmarkAddresses(b *testing.B) {
	b.ReportAllocs()
	var table addressTable
	r := rand.New(rand.NewPCG(1, 1))
	for range b.N {
		a := 0xc000000000 + 32*r.Uint64N(1<<15)
		table.forget(a, 32, nil)
		for i := range uint64(24) {
			table.number(a + i)
		}
		for range 8 {
			table.number(0xc100000000 + 8*r.Uint64N(1<<15))
		}
	}
}

// TestManyGoroutines wants definitions alone to allow as many goroutines as there are. Of
// anything else there may be fewer.
func TestManyGoroutines(t *testing.T) {
	const many = maxDescribed + 10
	var file bytes.Buffer
	w, err := raw.NewWriter(&file)
	if err != nil {
		t.Fatal(err)
	}
	var defs raw.Builder
	for n := uint64(1); n <= many; {
		defs.Reset(spec.Definitions, spec.S2, 0)
		for range 1 << 16 {
			defs.Add(&raw.Record{Kind: event.Goroutine, Args: [spec.MaxArgs]uint64{n, n}})
			n++
		}
		if n > many {
			defs.Add(&raw.Record{Kind: event.Member, Args: [spec.MaxArgs]uint64{many, 1}})
		}
		if err := w.Write(&defs.Chunk); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := NewReader(&file); err != nil {
		t.Error(err)
	}
}
