// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// Registered is what packages have registered. It is only read when a race was found, or to know
// whether an access to memory counts.
var Registered struct {
	Lock offheap.Guard
	N    atomic.Uint32 // packages
	// Through is how many pairs of a check and an act have a call through a function.
	Through atomic.Uint32

	first offheap.AtomicRef[registration] // who only looks has no lock
	index index
}

// A registration is that of one package, which is in the program's static data. The others follow,
// the newest one first.
type registration struct {
	next *registration
	of   offheap.Ref[compiled.Registration]
}

// Register takes what a package registers, which is not copied.
func Register(of *compiled.Registration) {
	r := (*registration)(host.Alloc(unsafe.Sizeof(registration{})))
	r.of = offheap.To(of)
	Registered.Lock.Lock()
	r.next = Registered.first.Load()
	Registered.first.Store(r)
	Registered.N.Add(1)
	Registered.Lock.Unlock()
	globals.n.Add(uint32(len(of.Globals)))
	for i := range of.Acts {
		if of.Acts[i].Through {
			Registered.Through.Add(1)
		}
	}
}

// registrationOf is what a package has registered, by its path in a function's name. It is nil
// for nothing.
func registrationOf(pkg string) *compiled.Registration {
	k := key{pkg: pkg}
	for e := upToDate().packages.find(&k); e != nil; e = e.next.Load() {
		if r := e.of.P(); samePackage(r.Path, pkg) {
			return r
		}
	}
	return nil
}

// isWatched reports whether a package is watched, by its path in a function's name.
func isWatched(pkg string) bool {
	r := registrationOf(pkg)
	return r != nil && r.Watched
}
