// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/check/datarace"
	"github.com/commutego/commute/internal/host"
)

// For transactions counts only what is in the source of packages that are watched. A function of another package, as of
// the standard library, that the compiler has put into one of those has its place in that other package.

// layers remembers, of return addresses, which layer of the program they are in: pc<<3 | layer, in one word so that no
// two mix. One that is asked for all the time has two places, as it takes long to find out.
var layers [1 << 12]uint64

// Layers of the program.
const (
	LayerOther   = iota
	LayerWatched // a watched package
	LayerRuntime // what announces events for who calls it: the runtime, ...
	LayerSync    // ... package sync, ...
	LayerAtomic  // ... and package sync/atomic
	LayerPool    // so does this, but they are nobody's
)

// SeenLayer is what LayerOf remembers in the first place, -1 for nothing.
func SeenLayer(pc uintptr) int {
	if v := layers[layerSlot(pc)]; v>>3 == uint64(pc) {
		return int(v & 7)
	}
	return -1
}

func layerSlot(pc uintptr) uint64 { return uint64(pc) * 0x9E3779B97F4A7C15 >> 52 }

// LayerOf is the layer of the innermost function at a return address.
func LayerOf(pc uintptr) int {
	i := layerSlot(pc)
	at := &layers[i]
	if v := *at; v>>3 == uint64(pc) {
		return int(v & 7)
	}
	if other := &layers[i^1]; *at != 0 {
		if v := *other; v>>3 == uint64(pc) {
			return int(v & 7)
		}
		if *other == 0 {
			at = other
		}
	}
	layer := layerAt(pc)
	*at = uint64(pc)<<3 | uint64(layer)
	return layer
}

func layerAt(pc uintptr) int {
	through := LayerOther
	for i := 0; ; i++ {
		name, ok := host.NameAt(pc, i)
		if !ok {
			return through
		}
		switch l := layerNamed(name); l {
		case LayerRuntime, LayerSync, LayerAtomic:
			through = l // the caller may be here too
		default:
			return l
		}
	}
}

func layerNamed(name string) int {
	for _, l := range [...]struct {
		prefix string
		layer  int
	}{
		{"runtime.", LayerRuntime}, {"internal/race.", LayerRuntime}, {"internal/runtime/", LayerRuntime},
		{"sync/atomic.", LayerAtomic}, {"sync.(*Pool)", LayerPool}, {"sync.(*Map)", LayerPool},
		{"sync.", LayerSync}, {"internal/sync.", LayerSync},
	} {
		if hasPrefix(name, l.prefix) {
			return l.layer
		}
	}
	if isWatched(packageOf(name)) {
		return LayerWatched
	}
	return LayerOther
}

// isWatched reports whether a package is watched, by its path in a function's name.
func isWatched(pkg string) bool {
	for r := registered.first; r != nil; r = r.next {
		var line string
		for rest := r.text; rest != ""; {
			line, rest = cut(rest, '\n')
			if k, path := cut(line, '\t'); k == "watched" && samePackage(path, pkg) {
				return true
			}
		}
	}
	return false
}

// counts reports whether an access to memory is by a watched package's own source, or one that the runtime makes for it, as
// those to maps are.
func counts(site uint32) bool {
	for site > datarace.CutOff && LayerOf(datarace.PC(site)) == LayerRuntime {
		site = datarace.Caller(site)
	}
	return site > datarace.CutOff && LayerOf(datarace.PC(site)) == LayerWatched
}
