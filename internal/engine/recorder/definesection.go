// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/event"
)

// IsRing reports whether the file keeps the last steps only.
func IsRing() bool { return isRing() }

// Flags of lock sites, touch sites and pairs, as package internal/trace/spec has them.
const (
	ReadLock = 1
	Complete = 2

	LocalVar = 1
	OpShift  = 1

	AtomicShift = 16

	ByValue     = 1
	Fills       = 2
	Always      = 4
	PairIgnored = 8
	PairMeant   = 16
	PairMarked  = 32
	LatestOnly  = 64
	ShapeShift  = 8
	IndexShift  = 16
	PairsShift  = 32
)

// LockSite defines a call that takes a lock of some bytes.
func LockSite(id, size uint32, flags uint64, lock string, at compiled.Line) {
	lockDefinitions()
	putByte(byte(event.LockSite))
	putNumber(uint64(id))
	putNumber(uint64(size))
	putNumber(flags)
	putText(lock)
	putLines(at)
	unlockDefinitions()
}

// TouchSite defines a place where code reads or writes what locks guard.
func TouchSite(id uint32, flags uint64, point, name, decl string, at compiled.Line) {
	lockDefinitions()
	putByte(byte(event.TouchSite))
	putNumber(uint64(id))
	putNumber(flags)
	putText(point)
	putText(name)
	putText(decl)
	putLines(at)
	unlockDefinitions()
}

// Pair defines that a function checks at one place and acts at another, by the calls at two lines.
func Pair(
	function, check, act uint32, flags uint64, name string, checkBy, actBy compiled.Line,
) {
	lockDefinitions()
	putByte(byte(event.Pair))
	putNumber(uint64(function))
	putNumber(uint64(check))
	putNumber(uint64(act))
	putNumber(flags)
	putText(name)
	putLines(checkBy, actBy)
	unlockDefinitions()
}

// putLines writes a text of places, file:line, a line each. Those that are none are empty.
func putLines(lines ...compiled.Line) {
	n := len(lines) - 1
	for i := range lines {
		n += lengthOf(&lines[i])
	}
	putNumber(uint64(n))
	for i := range lines {
		if i > 0 {
			putByte('\n')
		}
		putLine(&lines[i])
	}
}

// maxFile is how much of a file's name is written: the rest is cut off at its beginning.
const maxFile = maxText / 2

func fileOf(l *compiled.Line) string { return l.File[max(0, len(l.File)-maxFile):] }

// lengthOf is how many bytes putLine writes.
func lengthOf(l *compiled.Line) int {
	if l.Number <= 0 {
		return 0
	}
	n := len(fileOf(l)) + 2
	for v := l.Number; v >= 10; v /= 10 {
		n++
	}
	return n
}

// putLine writes file:line.
func putLine(l *compiled.Line) {
	if l.Number <= 0 {
		return
	}
	definitions.n += copy(definitions.buf[definitions.n:], fileOf(l))
	putByte(':')
	unit := 1
	for l.Number/unit >= 10 {
		unit *= 10
	}
	for ; unit > 0; unit /= 10 {
		putByte(byte('0' + l.Number/unit%10))
	}
}
