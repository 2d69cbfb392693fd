// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A site stands for a call stack: a return address, below the site of its caller. Sites are a tree,
// so that no stack has to be walked, or kept, at each access. The engine mostly knows the site of
// the function's caller already.
type site struct {
	pc     uint64 // and the depth, in its low 16 bits
	parent uint32
	next   uint32 // in the same bucket
}

const (
	siteChunk = 1 << 14
	maxSites  = 1 << 22
	maxDepth  = 250     // where callers are cut off when there are many sites
	buckets   = 1 << 18 // most are never touched
)

// CutOff is the site of callers that are not kept: they are too many.
const CutOff = 1

type siteList [siteChunk]site

// sites is all of them, and a hash table of them by return address and parent. A site never changes
// once its bucket leads to it, so it is found without a lock.
var sites struct {
	lock   offheap.Lock
	fresh  atomic.Uint32
	chunk  [maxSites / siteChunk]offheap.AtomicRef[siteList]
	bucket [buckets]atomic.Uint32
}

// A site must fit into a word.
var _ [1<<siteBits - maxSites]struct{}

//go:nosplit
func siteAt(i uint32) *site {
	return &sites.chunk[i/siteChunk%uint32(len(sites.chunk))].Load()[i%siteChunk]
}

// PC is the return address of a site.
func PC(i uint32) uintptr { return uintptr(siteAt(i).pc >> 16) }

// Caller is the site of its caller: 0, or CutOff, where there is none.
func Caller(i uint32) uint32 { return siteAt(i).parent }

// Context returns the site of a return address below a parent, 0 for none. When there are too many
// it is one without callers, and then 0.
func Context(parent uint32, pc uintptr) uint32 {
	if i := KnownContext(parent, pc); i != 0 {
		return i
	}
	return addSite(parent, pc)
}

// KnownContext is Context for a site that is known already, else 0.
//
//go:nosplit
func KnownContext(parent uint32, pc uintptr) uint32 {
	if i := ContextAfter(parent, parent, pc); i != 0 {
		return i
	}
	return findSite(bucketOf(parent, pc).Load(), parent, pc)
}

// ContextAfter is KnownContext for a site that is one of the next few after another, last, else 0.
// Sites are numbered in the order in which they are first asked for. So a function's first sites
// come next after that of its call, and what is done again asks for one site after the other. These
// are near in memory; the hash table takes two loads from places that are not.
//
//go:nosplit
func ContextAfter(last, parent uint32, pc uintptr) uint32 {
	fresh, next := sites.fresh.Load(), last+1
	if next%siteChunk <= siteChunk-sitesAfter && next+sitesAfter <= fresh { // mostly
		list := (*[sitesAfter]site)(unsafe.Pointer(siteAt(next)))
		for i := range list {
			if n := &list[i]; n.parent == parent && n.pc>>16 == uint64(pc) {
				return next + uint32(i)
			}
		}
		return 0
	}
	for i := next; i <= last+sitesAfter && i < fresh; i++ {
		if n := siteAt(i); n.pc>>16 == uint64(pc) && n.parent == parent {
			return i
		}
	}
	return 0
}

const sitesAfter = 4 // how many sites after another ContextAfter looks at

// bucketOf is the bucket of a site. What one part of a function calls and accesses, in one call of
// it, is in one line of the processor's cache, and in the next one for the call that was met next.
// So what is done again finds the buckets where it has found the last ones.
func bucketOf(parent uint32, pc uintptr) *atomic.Uint32 {
	h := (uint64(pc) ^ uint64(parent)<<40) * 0x9E3779B97F4A7C15
	if parent <= CutOff {
		return &sites.bucket[h>>46%buckets] // it may have any number of sites
	}
	line := (parent + uint32(pc>>partBits)) % (buckets / lineBuckets)
	return &sites.bucket[line*lineBuckets+uint32(h>>46%lineBuckets)]
}

const (
	lineBuckets = 16 // buckets of a line
	partBits    = 10 // of the size of a part of a function
)

// findSite looks for a site in the list of a bucket that begins with site i.
//
//go:nosplit
func findSite(i, parent uint32, pc uintptr) uint32 {
	for i != 0 {
		n := siteAt(i)
		if n.pc>>16 == uint64(pc) && n.parent == parent {
			return i
		}
		i = n.next
	}
	return 0
}

// addSite is Context for a site that there may not be yet.
func addSite(parent uint32, pc uintptr) uint32 {
	depth := uint64(1)
	if parent > CutOff {
		depth = min(depth+siteAt(parent).pc&(1<<16-1), 1<<16-1)
	}
	s := &sites
	s.lock.Lock()
	fresh := max(s.fresh.Load(), CutOff+1)
	// The second half of the sites are not for deep stacks, and the last eighth are for return
	// addresses alone.
	if fresh == maxSites || fresh > maxSites-maxSites/8 && parent != CutOff ||
		fresh > maxSites/2 && depth > maxDepth {
		s.lock.Unlock()
		if parent == CutOff {
			return 0
		}
		return Context(CutOff, pc)
	}
	b := bucketOf(parent, pc)
	i := findSite(b.Load(), parent, pc)
	if i == 0 {
		i = fresh
		if c := &s.chunk[i/siteChunk]; c.Load() == nil {
			c.Store((*siteList)(host.Alloc(unsafe.Sizeof(siteList{}))))
		}
		*siteAt(i) = site{uint64(pc)<<16 | depth, parent, b.Load()}
		s.fresh.Store(fresh + 1)
		b.Store(i)
	}
	s.lock.Unlock()
	return i
}

// inOneFunction reports whether two sites have the same caller, and so are in one function, mostly
// in one call.
//
//go:nosplit
func inOneFunction(a, b uint32) bool {
	if n := sites.fresh.Load(); a >= n || b >= n {
		return false
	}
	caller := siteAt(a).parent
	return caller == siteAt(b).parent && caller > CutOff
}
