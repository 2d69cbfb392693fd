// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// A lineIndex finds the lines of registrations by what they are asked for: a package, a line of the
// source, a name. A package's text is read once, when something is asked for the first time after
// the package has registered. Later look-ups take no lock, and the same time however much is
// registered.
type lineIndex struct {
	lock   offheap.Lock
	unread offheap.Ref[unread]
	news   atomic.Uint32 // not 0: some are unread
	lines  offheap.Memo  // the first line, by lineKey.hash
}

// unread is a registration that has not been read yet.
type unread struct {
	next offheap.Ref[unread]
	of   offheap.Ref[registration]
}

// A line of a registration. The next one with the same key follows.
type line struct {
	next       offheap.AtomicRef[line]
	last       offheap.Ref[line] // of a first line: the last of those that follow; the lock is held
	of         offheap.Ref[registration]
	start, end uint32 // of what comes after the kind, in the registration's text
	directive  uint32 // the number of a directive, from 0 in each registration
}

// fields are what comes after the line's kind.
func (l *line) fields() string { return l.of.P().text[l.start:l.end] }

// A lineKey is what a line is found by. Lines of other keys may have the same hash, so a
// look-up compares the keys.
type lineKey struct {
	kind string // or registeredPackage
	pkg  string // its path, which may be escaped as in functions' names
	file string // its base name
	line int
	name string // of a method, or of a declaration
}

// registeredPackage is the kind of one line more of each registration: that its package has one.
const registeredPackage = "package"

// isDirective reports whether lines of a kind are directives.
func isDirective(kind string) bool { return kind == "ignore" || kind == "concurrent" }

// hash is not 0.
func (k *lineKey) hash() uint64 {
	h := hashText(0xCBF29CE484222325, k.kind)
	for i := 0; i < len(k.pkg); i++ {
		c := k.pkg[i]
		if c == '%' && i+2 < len(k.pkg) {
			c = text.Unhex(k.pkg[i+1])<<4 | text.Unhex(k.pkg[i+2])
			i += 2
		}
		h = hashByte(h, c)
	}
	h = hashText(hashByte(h, 0), k.file)
	h = (h ^ uint64(k.line)) * hashPrime
	return hashText(h, k.name) | 1
}

const hashPrime = 0x100000001B3

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * hashPrime }

func hashText(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = hashByte(h, s[i])
	}
	return hashByte(h, 0)
}

// add has r read before the next look-up.
func (x *lineIndex) add(r *registration) {
	w := (*unread)(host.Alloc(unsafe.Sizeof(unread{})))
	w.of = offheap.To(r)
	x.lock.Lock()
	w.next = x.unread
	x.unread = offheap.To(w)
	x.news.Store(1)
	x.lock.Unlock()
}

// find calls f for the lines of a key, and perhaps for others.
func (x *lineIndex) find(k lineKey, f func(*line)) {
	if x.news.Load() != 0 {
		x.readAll()
	}
	first, _ := x.lines.Get(k.hash())
	for l := lineAt(first); l != nil; l = l.next.Load() {
		f(l)
	}
}

func lineAt(addr uint64) *line {
	p := uintptr(addr)
	return *(**line)(unsafe.Pointer(&p))
}

func (x *lineIndex) readAll() {
	x.lock.Lock()
	for w := x.unread.P(); w != nil; w = w.next.P() {
		x.read(w.of.P())
	}
	x.unread = offheap.Ref[unread]{}
	x.news.Store(0)
	x.lock.Unlock()
}

// read takes the lines of a registration; the lock is held.
func (x *lineIndex) read(r *registration) {
	n := uintptr(1)
	for i := 0; i < len(r.text); i++ {
		if r.text[i] == '\n' {
			n++
		}
	}
	lines := unsafe.Slice((*line)(host.Alloc((n+1)*unsafe.Sizeof(line{}))), n+1)
	directives := uint32(0)
	var row string
	i := 0
	for rest := r.text; rest != ""; {
		start := len(r.text) - len(rest)
		row, rest = text.Cut(rest, '\n')
		kind, fields := text.Cut(row, '\t')
		l := &lines[i]
		i++
		l.of, l.directive = offheap.To(r), directives
		l.start, l.end = uint32(start+len(row)-len(fields)), uint32(start+len(row))
		if isDirective(kind) {
			directives++
		}
		x.append(keyOf(kind, fields), l)
		if start == 0 {
			pkg, _ := text.Cut(fields, '\t')
			whole := &lines[n]
			whole.of, whole.start, whole.end = l.of, l.start, l.end
			x.append(lineKey{kind: registeredPackage, pkg: pkg}, whole)
		}
	}
}

// keyOf is what a line of a kind with these fields is found by: see registration.
func keyOf(kind, fields string) lineKey {
	k := lineKey{kind: kind}
	k.pkg, fields = text.Cut(fields, '\t')
	switch kind {
	case "watched":
		return k
	case "concurrent":
		k.name, _ = text.Cut(fields, '\t')
		return k
	}
	k.file, fields = text.Cut(fields, '\t')
	at, fields := text.Cut(fields, '\t')
	k.line, _ = text.Number(at)
	if kind != "ignore" {
		k.name, _ = text.Cut(fields, '\t')
	}
	return k
}

// append makes l the last line of a key.
func (x *lineIndex) append(k lineKey, l *line) {
	first := lineAt(x.lines.Put(k.hash(), uint64(uintptr(unsafe.Pointer(l)))))
	if first != l {
		first.last.P().next.Store(l)
	}
	first.last = offheap.To(l)
}
