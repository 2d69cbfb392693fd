// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
)

// A sites remembers what return addresses are: pc<<1, and 1 if they are what is asked for. Each has
// one place, or another one of its line if that is taken. Where a line is full, one has to be asked
// for anew.
type sites [1 << 8]atomic.Uint64

const line = 8 // places; a line of the cache

var stdSites, scratchSites sites

// CalledByStd reports whether a return address is in the standard library.
func CalledByStd(site uintptr) bool { return stdSites.is(site, source.IsStd) }

// IsScratch reports whether a return address is in code whose pools have only scratch memory:
// nothing in it is left by one caller to the next. That is so in the standard library, in the
// modules of gRPC, and in the HTTP/2 that it uses.
func IsScratch(site uintptr) bool { return scratchSites.is(site, hasScratch) }

// KnownScratch is IsScratch where that is remembered. It may be called with preemption enabled.
func KnownScratch(site uintptr) (scratch, known bool) {
	return scratchSites.known(site)
}

// KnownOrdered reports whether it is remembered in its place that a return address is not in such
// code. Each use of a program's own pool asks, so it is inlined. It may be called with preemption
// enabled.
func KnownOrdered(site uintptr) bool {
	return scratchSites.of(site).Load() == uint64(site)<<1
}

func hasScratch(fr host.Frame) bool {
	for _, module := range [...]string{"google.golang.org/grpc", "google.golang.org/protobuf",
		"golang.org/x/net/http2"} {
		if len(fr.Func) > len(module) && fr.Func[:len(module)] == module {
			return true
		}
	}
	return source.IsStd(fr)
}

// place is where it is remembered first what a return address is.
func place(site uintptr) uint64 { return uint64(site) * 0x9E3779B97F4A7C15 >> 56 }

// of is that of a table.
func (s *sites) of(site uintptr) *atomic.Uint64 { return &s[place(site)] }

// known is what is remembered of a return address.
func (s *sites) known(site uintptr) (is, known bool) {
	if v := s.of(site).Load(); v>>1 == uint64(site) {
		return v&1 != 0, true
	}
	first := place(site) &^ (line - 1)
	for i := range uint64(line) {
		if v := s[first+i].Load(); v>>1 == uint64(site) {
			return v&1 != 0, true
		}
	}
	return false, false
}

// is asks for a return address once, as long as it is remembered.
func (s *sites) is(site uintptr, ask func(host.Frame) bool) bool {
	if is, known := s.known(site); known {
		return is
	}
	var fr host.Frame
	fr.Func, fr.File, fr.Line, _ = host.PlaceAt(site, 0)
	word := uint64(site) << 1
	if ask(fr) {
		word |= 1
	}
	s.remember(site, word)
	return word&1 != 0
}

// remember puts a word in the place of a return address, in another one of its line that is free,
// or else there instead of the last one.
func (s *sites) remember(site uintptr, word uint64) {
	at := place(site)
	first := at &^ (line - 1)
	for i := range uint64(line) {
		if s[first+(at+i)%line].CompareAndSwap(0, word) {
			return
		}
	}
	s[at].Store(word)
}
