// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package counts

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
)

// A sites remembers what return addresses are: pc<<1, and 1 if they are what is asked for.
type sites [1 << 8]atomic.Uint64

var stdSites, scratchSites sites

// CalledByStd reports whether a return address is in the standard library.
func CalledByStd(site uintptr) bool { return stdSites.is(site, source.IsStd) }

// IsScratch reports whether a return address is in code whose pools have only scratch memory:
// nothing in it is left by one caller to the next. That is so in the standard library, in the
// modules of gRPC, and in the HTTP/2 that it uses.
func IsScratch(site uintptr) bool { return scratchSites.is(site, hasScratch) }

// KnownScratch is IsScratch where that is remembered. It may be called with preemption enabled.
func KnownScratch(site uintptr) (scratch, known bool) {
	v := scratchSites.of(site).Load()
	return v&1 != 0, v>>1 == uint64(site)
}

// KnownOrdered reports whether it is remembered that a return address is not in such code. Each use
// of a program's own pool asks, so it is inlined. It may be called with preemption enabled.
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

// of is where it is remembered what a return address is.
func (s *sites) of(site uintptr) *atomic.Uint64 { return &s[uint64(site)*0x9E3779B97F4A7C15>>56] }

// is asks for a return address once, as long as it is remembered.
func (s *sites) is(site uintptr, ask func(host.Frame) bool) bool {
	at := s.of(site)
	if v := at.Load(); v>>1 == uint64(site) {
		return v&1 != 0
	}
	var fr host.Frame
	fr.Func, fr.File, fr.Line, _ = host.PlaceAt(site, 0)
	known := uint64(site) << 1
	if ask(fr) {
		known |= 1
	}
	at.Store(known)
	return known&1 != 0
}
