// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package source

import (
	"sync"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/offheap"
)

// kept are registrations that are not static data, as a program's are. What the engine has of them,
// the garbage collector doesn't see.
var kept struct {
	lock sync.Mutex
	list []*compiled.Registration
}

// Keep registers r, which stays until Reset. It is for tests.
func Keep(r *compiled.Registration) {
	kept.lock.Lock()
	kept.list = append(kept.list, r)
	kept.lock.Unlock()
	Register(r)
}

// Reset forgets all registrations. It is for tests.
func Reset() {
	Registered.first, Registered.index = offheap.AtomicRef[registration]{}, index{}
	globals.n.Store(0)
	globals.sorted = offheap.AtomicRef[globalTable]{}
	knownLayers, knownLockLayers, knownTakers = offheap.Memo{}, offheap.Memo{}, offheap.Memo{}
	clear(Layers[:])
	clear(sourceFiles.list[:])
	sourceFiles.n, sourceFiles.bytes = 0, 0
	kept.list = nil
	touching.first = offheap.AtomicRef[touchingPackage]{}
}
