// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import (
	"encoding/binary"
	"math/bits"
	"math/rand"
	"strings"
	"testing"
)

// slowHash is HashShort by the book: one word is mixed after the other.
func slowHash(s string, seed uint64) uint64 {
	var b [8]byte
	h := seed + uint64(len(s))*0x9E3779B97F4A7C15
	switch n := len(s); {
	case n > 8:
		copy(b[:], s)
		h = Mix(binary.LittleEndian.Uint64(b[:]) ^ h)
		copy(b[:], s[n-8:])
	case n >= 4:
		copy(b[:4], s)
		copy(b[4:], s[n-4:])
	case n > 0:
		b[0], b[1], b[2] = s[0], s[n/2], s[n-1]
	}
	return Mix(binary.LittleEndian.Uint64(b[:]) ^ h)
}

// TestHashShort compares hashes of random strings, at all alignments, with slow ones, and looks for
// two strings that have the same.
func TestHashShort(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	seen := map[uint64]string{}
	check := func(s string) {
		moved := (strings.Repeat("x", r.Intn(8)) + s + "x")
		moved = moved[len(moved)-1-len(s) : len(moved)-1]
		h := HashShort(moved, 5)
		if want := slowHash(s, 5); h != want {
			t.Fatalf("%q: %#x, want %#x", s, h, want)
		}
		if other, ok := seen[h]; ok && other != s {
			t.Fatalf("%q and %q have one hash", s, other)
		}
		seen[h] = s
		if HashShort(s, 6) == h {
			t.Fatalf("%q: the hash does not depend on the seed", s)
		}
	}
	check("")
	for i := range 256 {
		check(string([]byte{byte(i)}))
		for j := range 256 {
			check(string([]byte{byte(i), byte(j)}))
		}
	}
	for n := 3; n <= ShortLen; n++ {
		for range 5000 {
			s := make([]byte, n)
			for i := range s {
				s[i] = byte(r.Intn(4)) // strings that have much in common
			}
			check(string(s))
		}
	}
}

// TestMix: numbers that differ in a bit differ in half of the bits of the hash, more or less.
func TestMix(t *testing.T) {
	for bit := range 64 {
		differ := 0
		for i := range uint64(1000) {
			x := i * 0x9E3779B97F4A7C15
			differ += bits.OnesCount64(Mix(x) ^ Mix(x^1<<bit))
		}
		if differ < 30*1000 || differ > 34*1000 {
			t.Errorf("bit %d changes %d of 64,000 bits", bit, differ)
		}
	}
}
