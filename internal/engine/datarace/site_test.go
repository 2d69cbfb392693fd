// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestContext has a tree of sites, more than there are buckets, and asks for each again.
func TestContext(t *testing.T) {
	type key struct {
		parent uint32
		pc     uintptr
	}
	r := rand.New(rand.NewPCG(1, 2))
	known := map[key]uint32{}
	list := []uint32{0}
	for range buckets + 10000 {
		k := key{list[r.IntN(len(list))], 0x700000000000 + uintptr(r.IntN(1<<16))}
		i := Context(k.parent, k.pc)
		if old, ok := known[k]; ok && old != i {
			t.Fatalf("%#x below %d is %d and %d", k.pc, k.parent, old, i)
		}
		if known[k] == 0 {
			if i <= CutOff || PC(i) != k.pc || Caller(i) != k.parent {
				t.Fatalf("%#x below %d is site %d: %#x below %d", k.pc, k.parent, i, PC(i),
					Caller(i))
			}
			known[k] = i
			list = append(list, i)
		}
	}
	seen := map[uint32]bool{}
	for k, i := range known {
		if seen[i] || Context(k.parent, k.pc) != i {
			t.Fatalf("site %d is two, or another at the second time", i)
		}
		seen[i] = true
	}
}

// TestContextDepth has a deep stack, and one of as many calls when there are many sites already:
// then callers are cut off.
func TestContextDepth(t *testing.T) {
	const deepest = 70000
	site := uint32(0)
	for range deepest {
		site = Context(site, 0x710000)
	}
	callers, s := 0, site
	for ; s > CutOff; s = Caller(s) {
		callers++
	}
	if callers != deepest || s != 0 {
		t.Errorf("%d callers, and then %d", callers, s)
	}
	fresh := sites.fresh.Load()
	defer sites.fresh.Store(fresh)
	sites.fresh.Store(maxSites/2 + 1)
	site = 0
	for depth := 1; depth <= 3*maxDepth; depth++ {
		site = Context(site, 0x710008)
		callers, s := 0, site
		for ; s > CutOff; s = Caller(s) {
			callers++
		}
		if want := (depth-1)%maxDepth + 1; callers != want || s == CutOff != (depth > maxDepth) {
			t.Fatalf("depth %d: %d callers, and then %d", depth, callers, s)
		}
	}
}

// TestContextWhenFull has no numbers left for callers, and then none at all.
func TestContextWhenFull(t *testing.T) {
	fresh := sites.fresh.Load()
	defer sites.fresh.Store(fresh)
	known := Context(0, 0x720000)
	below := Context(known, 0x720008)
	sites.fresh.Store(maxSites - maxSites/8 + 1)
	i := Context(known, 0x720010)
	if PC(i) != 0x720010 || Caller(i) != CutOff {
		t.Errorf("with few left, site %d: %#x below %d", i, PC(i), Caller(i))
	}
	if Context(below, 0x720010) != i || Context(known, 0x720008) != below ||
		Context(0, 0x720000) != known {
		t.Error("with few left, sites are not what they were")
	}
	sites.fresh.Store(maxSites)
	if got := Context(known, 0x720010); got != i {
		t.Errorf("with none left, a known address is site %d, not %d", got, i)
	}
	if got := Context(known, 0x720018); got != 0 {
		t.Errorf("with none left, a new address is site %d", got)
	}
}

func TestContextConcurrently(t *testing.T) {
	const workers, n = 8, 3000
	var got [workers][n]uint32
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			site := uint32(0)
			for i := range n {
				if i%7 == 0 {
					site = 0
				}
				site = Context(site, 0x730000+uintptr(i))
				got[w][i] = site
			}
		})
	}
	wg.Wait()
	for w := range workers {
		if got[w] != got[0] {
			t.Error("one site has two numbers")
		}
	}
}

// TestJoinedReads reads the bytes of a cell one by one: reads of one epoch take one word, with the
// site of each function's last read; those of several epochs take their own.
func TestJoinedReads(t *testing.T) {
	p := newPair()
	defer p.end()
	read := func(addr uintptr, caller uintptr, moments bool) {
		for i := range uintptr(8) {
			p.a.memory.AccessByte(addr+i, Read,
				Context(Context(Context(0, 0x740000), caller+i%2*16), 0x740100+i))
			if moments {
				p.a.next()
			}
		}
	}
	addr := fresh(t, 1)
	for i := range uintptr(8) {
		p.a.memory.AccessByte(addr+i, Read,
			Context(Context(Context(0, 0x740000), 0x740010), 0x740100+i))
	}
	if w := lastRead(addr); w.isBlock() || w&allBytes != allBytes || PC(w.Site()) != 0x740107 {
		t.Errorf("reads of one function are the word %#x", uint64(w))
	}
	for _, moments := range []bool{false, true} {
		addr := fresh(t, 1)
		read(addr, 0x750000, moments)
		n, bytes := 0, Word(0)
		words(addr, 1, func(w Word) {
			if !w.isBlock() {
				n++
				bytes |= w & allBytes
			}
		})
		if n > 1 != moments || bytes != allBytes {
			t.Errorf("reads of two functions, moments %v: %d words of bytes %08b", moments, n,
				bytes)
		}
		for i := range uintptr(8) {
			r := p.b.memory.AccessByte(addr+i, Write, noSites)
			if r.Word == 0 || r.Wrote || PC(Caller(r.Site())) != 0x750000+i%2*16 {
				t.Errorf("moments %v: byte %d: race with a read by %#x", moments, i,
					PC(Caller(r.Site())))
			}
		}
	}
}

// TestContextAfter has one order of lookups again and again, and lookups of other parents and
// return addresses: a site is found after another if it is one of the next few, and no other is.
func TestContextAfter(t *testing.T) {
	parent, other := Context(0, 0x730000), Context(0, 0x730001)
	var list []uint32
	for i := range uintptr(50) {
		list = append(list, Context(parent, 0x731000+i))
	}
	for i, site := range list {
		for k, before := range list[:i] {
			pc, want := 0x731000+uintptr(i), uint32(0)
			if i-k <= sitesAfter {
				want = site
			}
			if got := ContextAfter(before, parent, pc); got != want {
				t.Fatalf("%d after site %d is %d, want %d", i-k, before, got, want)
			}
			if got := ContextAfter(before, other, pc); got != 0 {
				t.Fatalf("site %d is found for another parent", got)
			}
		}
	}
	last := sites.fresh.Load() - 1
	if got := ContextAfter(last, parent, 0x731000); got != 0 {
		t.Errorf("site %d is after the last", got)
	}
}

// TestBuckets has the sites of a tree, and of functions with many accesses, not be in longer lists
// than a hash would have them, or hardly.
func TestBuckets(t *testing.T) {
	for _, test := range []struct{ calls, accesses int }{{5000, 10}, {50, 1000}, {1, 20000}} {
		lists, longest := map[*atomic.Uint32]int{}, 0
		for call := range uint32(test.calls) {
			parent := 2 + call*uint32(1+test.accesses) // sites are numbered as they are met
			for access := range uintptr(test.accesses) {
				b := bucketOf(parent, 0x480000+37*access)
				lists[b]++
				longest = max(longest, lists[b])
			}
		}
		if longest > 12 || len(lists) < test.calls*test.accesses/3 {
			t.Errorf("%d calls with %d accesses: %d lists, the longest of %d", test.calls,
				test.accesses, len(lists), longest)
		}
	}
}
