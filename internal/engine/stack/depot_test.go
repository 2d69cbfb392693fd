// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"math/rand"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/text"
)

func TestDepot(t *testing.T) {
	if All.Put(nil, 0) != nil {
		t.Error("an empty stack is kept")
	}
	r := rand.New(rand.NewSource(1))
	kept := make(map[*Stack][]uintptr)
	var all [][]uintptr
	for i := range 20000 { // more than there are buckets
		pcs := make([]uintptr, 1+r.Intn(MaxDepth))
		for k := range pcs {
			pcs[k] = uintptr(r.Intn(1 << 20))
		}
		pcs[0] = uintptr(i) // no two are the same
		s := All.Put(pcs, 0)
		if kept[s] != nil {
			t.Fatalf("%v and %v are kept as one", kept[s], pcs)
		}
		kept[s] = slices.Clone(pcs)
		all = append(all, pcs)
		pcs = append(pcs, 1)
		if All.Put(pcs, 0) == s || len(pcs) > 2 && All.Put(pcs[:len(pcs)-2], 0) == s {
			t.Fatal("a longer or a shorter stack is the same")
		}
	}
	for _, pcs := range all {
		s := All.Put(slices.Clone(pcs), 0)
		if !slices.Equal(kept[s], pcs) || !slices.Equal(s.Frames(), pcs) {
			t.Fatalf("%v is kept as %v", pcs, s.Frames())
		}
	}
}

// TestDepotDoesNotKeep changes the slice that a stack was put from.
func TestDepotDoesNotKeep(t *testing.T) {
	pcs := []uintptr{0x51, 0x52, 0x53}
	s := All.Put(pcs, 0)
	pcs[1] = 0
	if !slices.Equal(s.Frames(), []uintptr{0x51, 0x52, 0x53}) {
		t.Errorf("it became %v", s.Frames())
	}
}

// TestDepotCompares has two stacks with one hash.
func TestDepotCompares(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("return addresses have no 64 bits to choose")
	}
	after := func(pc uint64) uint64 {
		h := (2 ^ pc) * 0x9E3779B97F4A7C15
		return h ^ h>>29
	}
	a := All.Put([]uintptr{0x1001, 5}, 0)
	b := All.Put([]uintptr{0x1002, uintptr(5 ^ after(0x1001) ^ after(0x1002))}, 0)
	if a.hash != b.hash {
		t.Fatal("the hashes differ: this says nothing")
	}
	if a == b {
		t.Error("two stacks are one")
	}
}

func TestDepotConcurrently(t *testing.T) {
	const workers, n = 8, 2000
	var got [workers][n]*Stack
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range n {
				got[w][i] = All.Put([]uintptr{0x77, uintptr(i), 0x78}, 0)
			}
		})
	}
	wg.Wait()
	for w := range workers {
		if got[w] != got[0] {
			t.Error("one stack is kept twice")
		}
	}
}

func TestFrameOf(t *testing.T) {
	for _, test := range []struct {
		typ, function string
		want          bool
	}{
		{"sync.Map", "sync.(*Map).Load", true},
		{"sync.Map", "sync.(*Mapper).Load", false},
		{"sync.Map", "sync.(*Mutex).Lock", false},
		{"example.com/m.Cache", "example.com/m.(*Cache[...]).Get", true},
		{"example.com/m.Cache", "example.com/m.(*Cache).Get", true},
		{"example.com/m.Cache", "example.com/m.(*Caches[...]).Get", false},
		{"example.com/m.Cache", "example.com/n.(*Cache).Get", false},
		{"gopkg.in/m.v2.Cache", "gopkg.in/m%2ev2.(*Cache).Get", true},
		{"main.T", "main.(*T).commute_Get", true},
	} {
		b := text.Buffers.Get()
		frame := FrameOf(&commrace.Table{Type: test.typ}, b)
		if got := IsMethod(test.function, frame); got != test.want {
			t.Errorf("%s is a method of %s (%s): %v", test.function, test.typ, frame, got)
		}
		text.Buffers.Put(b)
	}
}
