// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package access

// The library and the runtime announce accesses that they make for the program: of locks, of maps,
// of atomic variables. Between the program's function and the hook there are a few frames then,
// which are nearly always the same. So a goroutine remembers the sites of such accesses by the way
// from the hook out to the innermost instrumented function, and by that one's node.

// An announced is the site of an access that was announced. The way and the node together stand for
// all return addresses of the stack.
type announced struct {
	way        Way
	node, site uint32
}

// An announcedRow has the sites for which one place would be the same, the latest first: four, as a
// section of a lock has some ten such accesses, and those that put each other out walk the stack.
type announcedRow [4]announced

const announcedRows = 32

// MaxSteps is how many return addresses a way may have.
const MaxSteps = 12

// A Way stands for the return addresses that were met on a walk of the stack. It is a hash of 64
// bits: two ways that have the same one would have a report show the wrong one of two stacks.
type Way uint64

// To is the way with one more return address.
func (w Way) To(ret uintptr) Way { return (w ^ Way(ret)) * 0x9E3779B97F4A7C15 }

// announcedAt is where the site of an access may be.
func (f *Frames) announcedAt(way Way, node uint32) *announcedRow {
	return &f.announced[(uint32(way>>32)^node)%announcedRows]
}

// Announced is the site of an access to which a way leads from the innermost instrumented function,
// whose node is given; 0 if that is not known.
func (f *Frames) Announced(way Way, node uint32) uint32 {
	row := f.announcedAt(way, node)
	for i := range row {
		if a := &row[i]; a.way == way && a.node == node {
			return a.site
		}
	}
	return 0
}

// KeepAnnounced notes the site of such an access, in the place of the one that has been there for
// longest.
func (f *Frames) KeepAnnounced(way Way, node, site uint32) {
	row := f.announcedAt(way, node)
	copy(row[1:], row[:])
	row[0] = announced{way, node, site}
}

// Innermost is where the frame of the innermost instrumented function ends, counted from the end of
// the stack, and its node, 0 if that is not known.
func (f *Frames) Innermost() (off, node uint32) {
	e := f.ring[f.top%ring]
	return e.off(), e.node()
}
