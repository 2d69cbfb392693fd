// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// In transactions, only code of watched packages counts. The compiler may inline a function of
// another package, as of the standard library. Such code belongs to the other package.

// Layers remembers, of return addresses that are asked for all the time, which layer of the program
// they are in, and knownLayers of all that were ever asked for: to find it out takes long.
var (
	Layers      [1 << 12]PCNumber
	knownLayers offheap.Memo
)

// Layers of the program.
const (
	LayerOther   = iota
	LayerWatched // a watched package
	LayerRuntime // what announces events for who calls it: the runtime, ...
	LayerSync    // ... package sync, ...
	LayerAtomic  // ... and package sync/atomic
	LayerPool    // so does this, but they are nobody's
)

// SeenLayer is what layers remembers, -1 for nothing.
func SeenLayer(pc uintptr) int {
	if layer, ok := Layers[layerSlot(pc)].Get(pc); ok {
		return layer
	}
	return -1
}

func layerSlot(pc uintptr) uint64 { return uint64(pc) * 0x9E3779B97F4A7C15 >> 52 }

// LayerOf is the layer of the innermost function at a return address.
func LayerOf(pc uintptr) int {
	at := &Layers[layerSlot(pc)]
	if layer, ok := at.Get(pc); ok {
		return layer
	}
	layer, ok := knownLayers.Get(uint64(pc))
	if !ok {
		layer = knownLayers.Put(uint64(pc), uint64(layerAt(pc)))
	}
	at.Put(pc, int(layer))
	return int(layer)
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
		{"runtime.", LayerRuntime}, {"internal/race.", LayerRuntime},
		{"internal/runtime/", LayerRuntime},
		{"sync/atomic.", LayerAtomic}, {"sync.(*Pool)", LayerPool}, {"sync.(*Map)", LayerPool},
		{"sync.", LayerSync}, {"internal/sync.", LayerSync},
	} {
		if text.HasPrefix(name, l.prefix) {
			return l.layer
		}
	}
	if isWatched(PackageOf(name)) {
		return LayerWatched
	}
	return LayerOther
}

// Counts reports whether an access to memory is by a watched package's own source. Accesses that
// the runtime makes for it, as to maps, count, too.
func Counts(site uint32) bool {
	for site > datarace.CutOff && LayerOf(datarace.PC(site)) == LayerRuntime {
		site = datarace.Caller(site)
	}
	return site > datarace.CutOff && LayerOf(datarace.PC(site)) == LayerWatched
}

// lockLayer is the layer of the caller of a lock's function, which a return address is in. It is
// LayerSync if the caller is such a function, too.
func lockLayer(pc uintptr) int {
	for i := 0; ; i++ {
		name, ok := host.NameAt(pc, i)
		if !ok {
			return LayerSync
		}
		switch {
		case ofLock(name):
		case isWatched(PackageOf(name)):
			return LayerWatched
		default:
			return LayerOther
		}
	}
}

// Who takes a lock.
const (
	TakerUnknown = iota // the return address is in a function of a lock
	TakerLibrary
	TakerProgram
)

var knownTakers offheap.Memo

// TakerOf is who takes a lock by a function of it that returns to pc.
func TakerOf(pc uintptr) int {
	taker, ok := knownTakers.Get(uint64(pc))
	if !ok {
		taker = knownTakers.Put(uint64(pc), uint64(takerOf(pc)))
	}
	return int(taker)
}

func takerOf(pc uintptr) int {
	for i := 0; ; i++ {
		name, file, line, ok := host.PlaceAt(pc, i)
		switch {
		case !ok:
			return TakerUnknown
		case ofLock(name) || text.HasPrefix(name, "sync.(*Cond)."):
		case IsStd(host.Frame{Func: name, File: file, Line: line}):
			return TakerLibrary
		default:
			return TakerProgram
		}
	}
}

// ofLock reports whether a function is one of a lock, or of the runtime.
func ofLock(name string) bool {
	for _, prefix := range [...]string{"sync.(*Mutex).", "sync.(*RWMutex).", "sync.(*rlocker).",
		"internal/sync.(*Mutex).", "runtime."} {
		if text.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// lockLayers and knownLockLayers remember what lockLayer has found, as layers and knownLayers do.
var (
	lockLayers      [1 << 8]PCNumber
	knownLockLayers offheap.Memo
)

// LockLayer is lockLayer.
func LockLayer(pc uintptr) int {
	at := &lockLayers[pc>>1%uintptr(len(lockLayers))]
	if layer, ok := at.Get(pc); ok {
		return layer
	}
	layer, ok := knownLockLayers.Get(uint64(pc))
	if !ok {
		layer = knownLockLayers.Put(uint64(pc), uint64(lockLayer(pc)))
	}
	at.Put(pc, int(layer))
	return int(layer)
}
