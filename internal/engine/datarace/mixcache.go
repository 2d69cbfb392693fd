// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A mixCache has what accesses have become on a processor when they were joined with another
// function's, the last time. Most mixtures are met again and again. The table of all is large: each
// look at it takes loads from places that are not near.
//
// A processor's own cache is used by one goroutine at a time. Should two use one, as they may in
// tests, the tag tells them what belongs together.
type mixCache [1 << mixCacheBits]mixEntry

type mixEntry struct {
	key  atomic.Uint64 // of the access and what it was joined with, see mixKey
	site atomic.Uint64 // of the two as one word; and on top, a tag: 32 bits of the key's hash
}

const mixCacheBits = 10

// mixCaches is one for each processor that has met a mixture.
var mixCaches [host.Shards]offheap.AtomicRef[mixCache]

// A mixKey stands for the bytes and the site of an access, old, and for the site and the one byte
// of another, w, that joins it.
type mixKey uint64

// keyOf is 0 if w is to more bytes than one.
//
//go:nosplit
func keyOf(old, w Word) mixKey {
	const at = 8 // there is nothing else in these three bits
	one := w & allBytes
	if one&(one-1) != 0 {
		return 0
	}
	// Which byte it is: each multiple of this number by a power of two has other three bits there.
	byteOf := mixKey(one*0x17) >> 5 & 7
	return mixKey(old&^(7<<at))&(1<<atomicShift-1) | byteOf<<at | mixKey(w.Site())<<atomicShift
}

// hash is where a key's entry is in a cache, in its top bits, and what its tag is.
func (k mixKey) hash() uint64 { return uint64(k) * 0x9E3779B97F4A7C15 }

// entryIn is the entry of a key whose hash is given.
func (c *mixCache) entryIn(hash uint64) *mixEntry { return &c[hash>>(64-mixCacheBits)] }

// tagOf is the tag of a hash: 32 bits of it, which the sites of an entry have on top.
func tagOf(hash uint64) uint64 { return hash >> (32 - mixCacheBits) << 32 }

// mixCacheHere is the processor's cache, nil if there is none.
func mixCacheHere() *mixCache { return mixCaches[host.Shard()%host.Shards].Load() }

// site is the site of the two as one word, if this processor has joined them; 0 otherwise.
//
//go:nosplit
func (k mixKey) site() uint32 {
	c := mixCacheHere()
	if c == nil || k == 0 {
		return 0
	}
	h := k.hash()
	e := c.entryIn(h)
	if e.key.Load() != uint64(k) {
		return 0
	}
	site := e.site.Load()
	if site>>32<<32 != tagOf(h) {
		return 0
	}
	return uint32(site)
}

// note has site return this one from now on.
//
//go:nosplit
func (k mixKey) note(site uint32) {
	c := mixCacheHere()
	if c == nil || k == 0 {
		return
	}
	h := k.hash()
	e := c.entryIn(h)
	host.Publish64(&e.site, tagOf(h)|uint64(site))
	host.Publish64(&e.key, uint64(k))
}

// makeMixCache makes the processor's cache if there is none.
func makeMixCache() {
	if c := &mixCaches[host.Shard()%host.Shards]; c.Load() == nil {
		c.Store((*mixCache)(host.Alloc(unsafe.Sizeof(mixCache{}))))
	}
}
