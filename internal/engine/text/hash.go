// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package text

import "unsafe"

// Mix is a permutation of 64-bit numbers in which each bit depends on all. So hashes of different
// numbers differ.
func Mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// ShortLen is the greatest length of a short string.
const ShortLen = 16

// HashShort is the hash of a short string. Strings of the same length up to 8 have one hash only if
// they are equal, as those up to 16 that begin or end with the same 8 bytes.
func HashShort(s string, seed uint64) uint64 {
	n := uintptr(len(s))
	p := unsafe.Pointer(unsafe.StringData(s))
	seed += uint64(n) * 0x9E3779B97F4A7C15
	var last uint64 // the last 8 bytes, or all there are, some of them twice
	switch {
	case n > 8:
		seed = Mix(word64(p) ^ seed)
		fallthrough
	case n == 8:
		last = word64(unsafe.Add(p, n-8))
	case n >= 4:
		last = word32(p) | word32(unsafe.Add(p, n-4))<<32
	case n > 0:
		first, mid := *(*byte)(p), *(*byte)(unsafe.Add(p, n/2))
		last = uint64(first) | uint64(mid)<<8 | uint64(*(*byte)(unsafe.Add(p, n-1)))<<16
	}
	return Mix(last ^ seed)
}

// word32 and word64 are a word of any alignment. The compiler makes them one load, where there is
// one.
func word32(p unsafe.Pointer) uint64 {
	b := (*[4]byte)(p)
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
}

func word64(p unsafe.Pointer) uint64 {
	b := (*[8]byte)(p)
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}
