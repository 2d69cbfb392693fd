// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// fillMixtures has no number left for a new mixture, until the function that is returned is called.
func fillMixtures() (undo func()) {
	fresh := mixtures.fresh
	mixtures.fresh = maxMixtures
	return func() { mixtures.fresh = fresh }
}

// forgetMixtures forgets all mixtures if they are many. No word may have one.
func forgetMixtures() {
	if mixtures.fresh > maxMixtures/2 {
		mixtures.fresh = 0
		clear(mixtures.bucket[:])
		for i := range mixCaches {
			if c := mixCaches[i].Load(); c != nil {
				*c = mixCache{}
			}
		}
	}
}

// TestMixturesAgreeWithOracle joins accesses of one epoch to random bytes of a cell, some by one
// function, and takes bytes away. The oracle has the site of each byte in an array.
func TestMixturesAgreeWithOracle(t *testing.T) {
	n := 100000
	if testing.Short() || underRace {
		n /= 20
	}
	list := realSites()
	r := rand.New(rand.NewPCG(1, 6))
	mixed, deepest := 0, uint8(0)
	for range n {
		forgetMixtures()
		var want [8]uint32
		w, joins := Word(0), 2+r.IntN(12)
		for range joins {
			if w != 0 && r.IntN(4) == 0 { // another word has taken some
				gone := Word(r.IntN(256))
				for i := range want {
					if gone>>i&1 != 0 {
						want[i] = 0
					}
				}
				w = w.with(w &^ gone)
			}
			first, bytes := r.IntN(8), 1+r.IntN(3)
			v := 5<<epochShift | Word(list[r.IntN(8)])<<siteShift | bytesOf(uintptr(first),
				uintptr(min(bytes, 8-first)))
			if r.IntN(4) == 0 {
				v = v.at(uint32(noSites + r.IntN(3)))
			}
			one := v
			if w != 0 {
				if one = w.quickJoined(v); one == 0 {
					one = w.joined(v)
				}
				if one == 0 {
					continue // it is too deep
				}
			}
			if one&allBytes != (w|v)&allBytes || one>>atomicShift != v>>atomicShift {
				t.Fatalf("%#x and %#x are one as %#x", uint64(w), uint64(v), uint64(one))
			}
			w = one
			for i := range want {
				if v>>i&1 != 0 {
					want[i] = v.Site()
				}
			}
			if isMixed(w.Site()) {
				mixed++
				deepest = max(deepest, mixtureAt(w.Site()).depth)
			}
			sameSites(t, w, want)
		}
	}
	if mixed < n || deepest != maxMixing {
		t.Errorf("%d words have a mixture, the deepest %d", mixed, deepest)
	}
}

// TestJoinedMixtures joins accesses that have been joined before. Some of their bytes are the same.
func TestJoinedMixtures(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var w, v Word // each is of two or three functions
		var want, later [8]uint32
		for i := range 8 {
			site := uint32(noSites + r.IntN(3))
			bit := Word(site)<<siteShift | 1<<i
			switch r.IntN(3) {
			case 0:
				w, want[i] = joinedOr(w, bit), site
			case 1:
				v, later[i] = joinedOr(v, bit), site
			default:
				w, want[i] = joinedOr(w, bit), site
				v, later[i] = joinedOr(v, bit.at(site+1)), site+1
			}
		}
		if w == 0 || v == 0 {
			continue
		}
		for i, site := range later {
			if site != 0 {
				want[i] = site
			}
		}
		if one := w.joined(v); one != 0 {
			sameSites(t, one, want)
		}
	}
}

// joinedOr is joined, or the later one if there is no earlier one, or they are too deep.
func joinedOr(w, later Word) Word {
	if w == 0 {
		return later
	}
	if one := w.joined(later); one != 0 {
		return one
	}
	return w
}

// sameSites compares a word's sites, byte by byte. One of the same function is as good.
func sameSites(t *testing.T, w Word, want [8]uint32) {
	t.Helper()
	bytes := Word(0)
	for part, rest := w.cut(); part != 0; part, rest = rest.cut() {
		if part&bytes&allBytes != 0 || isMixed(part.Site()) || part>>atomicShift != w>>atomicShift {
			t.Fatalf("a part of %#x is %#x", uint64(w), uint64(part))
		}
		bytes |= part & allBytes
	}
	if bytes != w&allBytes {
		t.Fatalf("the parts of %#x are to the bytes %#x", uint64(w), uint64(bytes))
	}
	for i, site := range want {
		if got := w.among(1 << i); w>>i&1 != 0 && got.Site() != site &&
			!inOneFunction(got.Site(), site) {
			t.Fatalf("byte %d of %#x has site %d, want %d", i, uint64(w), got.Site(), site)
		}
	}
}

// TestMixturesConcurrently has several goroutines join the same accesses.
func TestMixturesConcurrently(t *testing.T) {
	const n, adders = 3000, 8
	var got [adders][n]Word
	var wg sync.WaitGroup
	for a := range adders {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(7, 7))
			for i := range n {
				w := Word(noSites+r.IntN(9))<<siteShift | 15
				got[a][i] = w.joined(Word(noSites+r.IntN(9))<<siteShift | 240)
			}
		})
	}
	wg.Wait()
	for a := range adders {
		if !slices.Equal(got[a][:], got[0][:]) {
			t.Error("one mixture has two numbers")
		}
	}
}

// TestMixturesWhenFull has no numbers left: what is known is found still.
func TestMixturesWhenFull(t *testing.T) {
	w, v := Word(noSites+1)<<siteShift|15, Word(noSites+2)<<siteShift|240
	one := w.joined(v)
	defer fillMixtures()()
	if got := w.joined(v); one == 0 || got != one {
		t.Errorf("with none left, two accesses are %#x, %#x before", uint64(got), uint64(one))
	}
	if got := w.joined(v.at(noSites + 77)); got != 0 {
		t.Errorf("with none left, two accesses of which none was joined are %#x", uint64(got))
	}
}
