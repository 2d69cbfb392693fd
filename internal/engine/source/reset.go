// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package source

import (
	"github.com/commutego/commute/internal/engine/offheap"
)

// Reset forgets all registrations. It is for tests.
func Reset() {
	Registered.first, globals.first = offheap.AtomicRef[registration]{}, nil
	globals.n.Store(0)
	globals.sorted, globals.byPackage = offheap.AtomicRef[globalTable]{}, offheap.Memo{}
	Registered.index, knownLayers, knownLockLayers = lineIndex{}, offheap.Memo{}, offheap.Memo{}
	clear(Layers[:])
}
