// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/event"
)

// definitions are those that the file doesn't have yet. The lock is taken after the file's.
var definitions struct {
	lock      offheap.Lock
	n         int
	buf       [bufSize]byte
	positions uint32 // that have been defined
}

const (
	maxText       = 1 << 10 // longer ones are cut
	maxDefinition = 4 << 10
)

// define writes the definitions out; the file's lock is held.
func (f *output) define() {
	d := &definitions
	d.lock.Lock()
	if d.n > headRoom {
		f.definitions(d.buf[:d.n])
	}
	d.n = headRoom
	d.lock.Unlock()
}

// room takes the lock of the definitions, with room for one more.
func room() {
	d := &definitions
	d.lock.Lock()
	for d.n > bufSize-maxDefinition {
		d.lock.Unlock()
		file.lock.Lock()
		file.define()
		file.lock.Unlock()
		d.lock.Lock()
	}
	d.n = max(d.n, headRoom)
}

func done() { definitions.lock.Unlock() }

func put(b byte) {
	definitions.buf[definitions.n] = b
	definitions.n++
}

func number(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		put(byte(v) | 0x80)
	}
	put(byte(v))
}

func text(s string) {
	s = s[:min(len(s), maxText)]
	number(uint64(len(s)))
	definitions.n += copy(definitions.buf[definitions.n:], s)
}

// funcName writes a function's name as stack traces have it, with ... for the types that it is made with.
func funcName(s string) {
	first, last := 0, len(s)
	for first < len(s) && s[first] != '[' {
		first++
	}
	for last > first && s[last-1] != ']' {
		last--
	}
	if last <= first || len(s) > maxText {
		text(s)
		return
	}
	number(uint64(first + len("[...]") + len(s) - last))
	for _, part := range [...]string{s[:first], "[...]", s[last:]} {
		definitions.n += copy(definitions.buf[definitions.n:], part)
	}
}

// Meta defines a property of the trace.
func Meta(key, value string) {
	room()
	put(byte(event.Meta))
	text(key)
	text(value)
	done()
}

// Goroutine defines a goroutine: its number here and for the program, who started it, and where.
func Goroutine(t *Thread, goid uint64, parent, pos uint32) {
	if isRing() { // there may be any number
		t.goid, t.parent, t.pos = goid, parent, pos
		return
	}
	room()
	put(byte(event.Goroutine))
	number(uint64(t.Number))
	number(goid)
	number(uint64(parent))
	number(uint64(pos))
	text("")
	done()
}

// Object defines the object at an address; until the memory is renewed, that's who is meant. A ring has none, as there may be
// any number: who reads it knows the type by the points.
func Object(addr uint64, typ, name string) {
	if isRing() {
		return
	}
	room()
	put(byte(event.ObjName))
	number(addr)
	text(typ)
	text(name)
	done()
}

// Point defines an access point of a type.
func Point(point uint32, typ, name string) { named(event.Point, point, typ, name) }

// Method defines a method of a type.
func Method(method uint32, typ, name string) { named(event.Method, method, typ, name) }

func named(k event.Kind, id uint32, typ, name string) {
	room()
	put(byte(k))
	number(uint64(id))
	text(typ)
	text(name)
	done()
}

// Conflict defines that two access points conflict.
func Conflict(point, other uint32) {
	room()
	put(byte(event.Conflict))
	number(uint64(point))
	number(uint64(other))
	done()
}

// Section defines a transaction's name.
func Section(section uint32, name, pos string) {
	room()
	put(byte(event.Section))
	number(uint64(section))
	name, pos = name[:min(len(name), maxText)], pos[:min(len(pos), maxText)]
	number(uint64(len(name) + 1 + len(pos)))
	definitions.n += copy(definitions.buf[definitions.n:], name)
	put(' ')
	definitions.n += copy(definitions.buf[definitions.n:], pos)
	done()
}

// Position defines a frame of a stack, called by that of another position, or by none if it is 0. It returns its number.
func Position(pc uint64, caller uint32, line int, function, file string) uint32 {
	room()
	definitions.positions++
	p := definitions.positions
	put(byte(event.Position))
	number(uint64(p))
	number(pc)
	number(uint64(caller))
	number(uint64(line))
	funcName(function)
	text(file)
	done()
	return p
}

// Watched defines that a position is in the source of a package that is watched: only what is done there is a conflict of
// transactions.
func Watched(pos uint32) {
	room()
	put(byte(event.Watched))
	number(uint64(pos))
	done()
}

// Test defines a test's name.
func Test(test uint32, name string) {
	room()
	put(byte(event.Test))
	number(uint64(test))
	text(name)
	done()
}

// Member defines that a goroutine belongs to a test, and those that it will start; not in a ring, as there may be any number.
func Member(g, test uint32) {
	if isRing() {
		return
	}
	room()
	put(byte(event.Member))
	number(uint64(g))
	number(uint64(test))
	done()
}

// Role defines what a method is for.
func Role(method uint32, role string) {
	room()
	put(byte(event.Role))
	number(uint64(method))
	text(role)
	done()
}

// Formula defines when calls of two methods commute, and where that is said; results tells that those that don't differ in what
// they return, and nothing else.
func Formula(method, other uint32, results bool, formula, at string) {
	room()
	put(byte(event.Formula))
	number(uint64(method))
	number(uint64(other))
	if results {
		number(1)
	} else {
		number(0)
	}
	text(formula)
	text(at)
	done()
}

// Flags of a call site, as package internal/trace/spec has them.
const (
	Ignored = 1 << iota
	Meant
	ByLibrary
)

// CallSite defines what calls of a method at a position are made on: the kind, name and place of its declaration.
func CallSite(pos, method, flags uint32, kind, name, at string) {
	room()
	put(byte(event.CallSite))
	number(uint64(pos))
	number(uint64(method))
	number(uint64(flags))
	text(kind)
	text(name)
	text(at)
	done()
}

// Key defines the text of a key that has a hash.
func Key(hash uint64, key string) {
	if isRing() { // there may be any number
		return
	}
	room()
	put(byte(event.Key))
	for i := range 8 {
		put(byte(hash >> (8 * i)))
	}
	text(key)
	done()
}
