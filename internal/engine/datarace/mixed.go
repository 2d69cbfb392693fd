// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A mixture is what several functions' accesses to a cell have in the place of a site, if they are
// of one epoch and kind. So they are one word still, and a report has the site of each byte. A loop
// over bytes that calls functions would make blocks otherwise, a new one at each byte.
//
// A mixture is a site for some of the bytes, and a site or mixture for the others. As it has no
// epoch, cells and epochs share it, and it is never given back. It never changes once its bucket
// leads to it, so it is found without a lock.
type mixture struct {
	site, rest uint32
	next       uint32 // in the same bucket
	bytes      uint8  // those of site; the word tells which of them still are
	depth      uint8  // mixtures, this one included, until a site is met
}

const (
	mixedBit     = 1 << (siteBits - 1) // of the number of a mixture in the place of a site
	maxMixtures  = 1 << 19
	mixBuckets   = 1 << 17 // most are never touched
	mixtureChunk = 1 << 13
	maxMixing    = 8 // the largest depth
)

// The numbers of sites and of mixtures must differ.
var _ [mixedBit - maxSites]struct{}

type mixtureList [mixtureChunk]mixture

// mixtures is all of them, whose numbers begin at 1.
var mixtures struct {
	lock   offheap.Lock
	fresh  uint32
	chunk  [maxMixtures / mixtureChunk]offheap.AtomicRef[mixtureList]
	bucket [mixBuckets]atomic.Uint32
}

// isMixed reports whether a number is that of a mixture, not of a site.
func isMixed(site uint32) bool { return site&mixedBit != 0 }

// mixtureAt is the mixture of a number in the place of a site.
//
//go:nosplit
func mixtureAt(i uint32) *mixture {
	i &^= mixedBit
	return &mixtures.chunk[i/mixtureChunk%uint32(len(mixtures.chunk))].Load()[i%mixtureChunk]
}

// mix returns the mixture of old and of w, a later access of its epoch and kind that has one site,
// as far as it can be told without a search: what is found is a site if all bytes have that one.
// Bytes of old that w is to as well are w's, and those by w's function have w's site. With no site,
// the mixture is to be looked for.
//
//go:nosplit
func mix(old, w Word) (m mixture, site uint32) {
	m.site, m.rest, m.bytes = w.Site(), old.Site(), uint8(w)
	left := uint8(old &^ w)
	for left != 0 {
		if !isMixed(m.rest) {
			if m.rest == m.site || inOneFunction(m.rest, m.site) {
				break
			}
			return m, 0
		}
		switch n := mixtureAt(m.rest); {
		case left&n.bytes == 0:
			m.rest = n.rest
		case left&^n.bytes == 0:
			m.rest = n.site
		case n.site == m.site || inOneFunction(n.site, m.site):
			m.bytes |= left & n.bytes
			m.rest, left = n.rest, left&^n.bytes
		default:
			return m, 0
		}
	}
	return m, m.site
}

// find looks for the number of m.
//
//go:nosplit
func (m *mixture) find() uint32 {
	for i := m.inBucket().Load(); i != 0; {
		n := mixtureAt(i)
		if n.site == m.site && n.rest == m.rest && n.bytes == m.bytes {
			return i | mixedBit
		}
		i = n.next
	}
	return 0
}

//go:nosplit
func (m *mixture) inBucket() *atomic.Uint32 {
	h := (uint64(m.site)<<8 ^ uint64(m.bytes) ^ uint64(m.rest)<<32) * 0x9E3779B97F4A7C15
	return &mixtures.bucket[h>>40%mixBuckets]
}

// number is find, which adds m if there is none yet. It is 0 if there are too many, or it's too
// deep.
func (m *mixture) number() uint32 {
	if i := m.find(); i != 0 {
		return i
	}
	m.depth = 1
	if isMixed(m.rest) {
		m.depth += mixtureAt(m.rest).depth
	}
	s := &mixtures
	s.lock.Lock()
	i := m.find()
	if i == 0 && m.depth <= maxMixing && s.fresh+1 < maxMixtures {
		s.fresh++
		if c := &s.chunk[s.fresh/mixtureChunk]; c.Load() == nil {
			c.Store((*mixtureList)(host.Alloc(unsafe.Sizeof(mixtureList{}))))
		}
		b := m.inBucket()
		m.next = b.Load()
		*mixtureAt(s.fresh) = *m
		b.Store(s.fresh)
		i = s.fresh | mixedBit
	}
	s.lock.Unlock()
	return i
}

// joined is old and w, an access of its epoch and kind, as one word; 0 if they can't be one.
func (old Word) joined(w Word) Word {
	if (old^w)>>atomicShift != 0 || old.isBlock() {
		return 0
	}
	// If w has joined others it is several accesses, and a mixture is of one site and the rest.
	for old != 0 && w != 0 {
		var part Word
		part, w = w.cut()
		old = old.joinedPart(part)
	}
	return old
}

// joinedPart is joined for a w that has one site.
func (old Word) joinedPart(w Word) Word {
	m, site := mix(old, w)
	if site == 0 {
		makeMixCache()
		if site = m.number(); site == 0 {
			return 0
		}
	}
	return (w | old&allBytes).at(site)
}

// quickJoined is joined, but is 0 as well if their mixture is a new one.
//
//go:nosplit
func (old Word) quickJoined(w Word) Word {
	key := keyOf(old, w)
	site := key.site()
	if site == 0 {
		m := mixture{}
		if m, site = mix(old, w); site == 0 {
			if site = m.find(); site == 0 {
				return 0
			}
		}
		key.note(site)
	}
	return (w | old&allBytes).at(site)
}

// at is w with another site.
func (w Word) at(site uint32) Word {
	return w&^((1<<siteBits-1)<<siteShift) | Word(site)<<siteShift
}

// cut is the bytes of w, an access, of one site, and the others; each is 0 for none.
func (w Word) cut() (part, rest Word) {
	for w != 0 && isMixed(w.Site()) {
		m := mixtureAt(w.Site())
		if part = w.with(Word(m.bytes) & w); part != 0 {
			part = part.at(m.site)
		}
		if rest = w.with(w &^ Word(m.bytes)); rest != 0 {
			rest = rest.at(m.rest)
		}
		if part != 0 {
			return part, rest
		}
		w = rest
	}
	return w, 0
}

// among is w for those of its bytes that have one site, and are among the given ones if any are.
func (w Word) among(bytes Word) Word {
	for part, rest := w.cut(); ; part, rest = rest.cut() {
		if part&bytes&allBytes != 0 || rest == 0 {
			return part
		}
	}
}
