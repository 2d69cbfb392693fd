// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// touching are the packages that tell which lines touch what critical sections guard, the newest
// first.
var touching struct {
	lock  offheap.Guard
	first offheap.AtomicRef[touchingPackage]
}

type touchingPackage struct {
	next offheap.Ref[touchingPackage]
	of   offheap.Ref[compiled.SectionRegistration]
}

// RegisterTouches takes what a package has registered of its critical sections.
func RegisterTouches(r *compiled.SectionRegistration) {
	p := (*touchingPackage)(host.Alloc(unsafe.Sizeof(touchingPackage{})))
	p.of = offheap.To(r)
	touching.lock.Lock()
	p.next = offheap.To(touching.first.Load())
	touching.first.Store(p)
	touching.lock.Unlock()
}

// EachSections calls do with each package that has registered.
func EachSections(do func(r *compiled.SectionRegistration)) {
	for p := touching.first.Load(); p != nil; p = p.next.P() {
		do(p.of.P())
	}
}

// SectionsOf is what the package of a function with pairs has registered, nil if it has not. It
// takes time linear in the number of packages.
func SectionsOf(f *compiled.SectionFunc) (of *compiled.SectionRegistration) {
	at := uintptr(unsafe.Pointer(f))
	EachSections(func(r *compiled.SectionRegistration) {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(r.Funcs)))
		if at-first < uintptr(len(r.Funcs))*unsafe.Sizeof(*f) {
			of = r
		}
	})
	return of
}

// SharesHot reports whether a package has pairs of touches that are hot: its own, or those of an
// imported package. Code of another package with such pairs was run then.
func SharesHot(r *compiled.SectionRegistration) bool {
	if isHot(r.Touches) {
		return true
	}
	for _, touches := range r.Imported {
		if isHot(touches) {
			return true
		}
	}
	return false
}

// isHot reports whether the touches of a package are hot. The first one is the last to be.
func isHot(touches []compiled.SectionTouch) bool {
	return len(touches) > 0 && touches[0].Hot.Load() != 0
}

// Touches reports whether code at a frame reads or writes a variable, field or map that has a name
// in reports. It takes time linear in all that is registered.
func Touches(fr host.Frame, name string) bool {
	at := func(list []compiled.SectionTouch) bool {
		for i := range list {
			if t := &list[i]; t.At.Number == fr.Line && t.Name == name && t.At.File == fr.File {
				return true
			}
		}
		return false
	}
	for p := touching.first.Load(); p != nil; p = p.next.P() {
		r := p.of.P()
		if at(r.Touches) {
			return true
		}
		for _, list := range r.Imported {
			if at(list) {
				return true
			}
		}
	}
	return false
}
