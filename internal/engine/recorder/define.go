// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/event"
)

// definitions are those that the file doesn't have yet. A step may refer to a definition as soon as
// it is here: define writes them out before any chunk of steps. The lock is taken after the file's.
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

// lockDefinitions takes the lock of the definitions, with room for one more. To make room it needs
// the file's lock, which comes first: so it releases its own, and looks again.
func lockDefinitions() {
	d := &definitions
	d.lock.Lock()
	// The loop is for other threads, which may fill the buffer again in between.
	for d.n > bufSize-maxDefinition {
		d.lock.Unlock()
		file.lock.Lock()
		file.define()
		file.lock.Unlock()
		d.lock.Lock()
	}
	d.n = max(d.n, headRoom)
}

func unlockDefinitions() { definitions.lock.Unlock() }

func putByte(b byte) {
	definitions.buf[definitions.n] = b
	definitions.n++
}

// putNumber writes a varint.
func putNumber(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		putByte(byte(v) | 0x80)
	}
	putByte(byte(v))
}

// putText writes a text behind its length.
func putText(s string) {
	s = s[:min(len(s), maxText)]
	putNumber(uint64(len(s)))
	definitions.n += copy(definitions.buf[definitions.n:], s)
}

// putFunc writes a function's name as stack traces have it, with ... for its type arguments.
func putFunc(s string) {
	// The type arguments are what the outermost brackets enclose.
	first, last := 0, len(s)
	for first < len(s) && s[first] != '[' {
		first++
	}
	for last > first && s[last-1] != ']' {
		last--
	}
	if last <= first || len(s) > maxText {
		putText(s)
		return
	}
	putNumber(uint64(first + len("[...]") + len(s) - last))
	for _, part := range [...]string{s[:first], "[...]", s[last:]} {
		definitions.n += copy(definitions.buf[definitions.n:], part)
	}
}

// Meta defines a property of the trace.
func Meta(key, value string) {
	lockDefinitions()
	putByte(byte(event.Meta))
	putText(key)
	putText(value)
	unlockDefinitions()
}

// Goroutine defines a goroutine: its number here and for the program, the goroutine that started
// it, and where. In a ring a definition would last for ever, and there may be any number of
// goroutines. So there it is kept with the thread, for writeState.
func Goroutine(t *Thread, goid uint64, parent, pos uint32) {
	if isRing() {
		t.goid, t.parent, t.pos = goid, parent, pos
		return
	}
	lockDefinitions()
	putByte(byte(event.Goroutine))
	putNumber(uint64(t.Number))
	putNumber(goid)
	putNumber(uint64(parent))
	putNumber(uint64(pos))
	putText("")
	unlockDefinitions()
}

// Object defines the object at an address, until the memory is fresh again. A ring has no such
// definitions, as there may be any number: its reader knows the type by the points.
func Object(addr uint64, typ, name string) {
	if isRing() {
		return
	}
	lockDefinitions()
	putByte(byte(event.ObjName))
	putNumber(addr)
	putText(typ)
	putText(name)
	unlockDefinitions()
}

// Point defines an access point of a type.
func Point(point uint32, typ, name string) { named(event.Point, point, typ, name) }

// Method defines a method of a type.
func Method(method uint32, typ, name string) { named(event.Method, method, typ, name) }

// named defines what has a number, a type and a name.
func named(k event.Kind, id uint32, typ, name string) {
	lockDefinitions()
	putByte(byte(k))
	putNumber(uint64(id))
	putText(typ)
	putText(name)
	unlockDefinitions()
}

// Conflict defines that two access points conflict.
func Conflict(point, other uint32) {
	lockDefinitions()
	putByte(byte(event.Conflict))
	putNumber(uint64(point))
	putNumber(uint64(other))
	unlockDefinitions()
}

// Section defines a transaction's name.
func Section(section uint32, name, pos string) {
	lockDefinitions()
	putByte(byte(event.Section))
	putNumber(uint64(section))
	name, pos = name[:min(len(name), maxText)], pos[:min(len(pos), maxText)]
	putNumber(uint64(len(name) + 1 + len(pos)))
	definitions.n += copy(definitions.buf[definitions.n:], name)
	putByte(' ')
	definitions.n += copy(definitions.buf[definitions.n:], pos)
	unlockDefinitions()
}

// Position defines a frame of a stack, called by that of another position, or by none if it is 0.
// It returns its number.
func Position(pc uint64, caller uint32, line int, function, file string) uint32 {
	lockDefinitions()
	definitions.positions++
	p := definitions.positions
	putByte(byte(event.Position))
	putNumber(uint64(p))
	putNumber(pc)
	putNumber(uint64(caller))
	putNumber(uint64(line))
	putFunc(function)
	putText(file)
	unlockDefinitions()
	return p
}

// Inside defines the position of synchronization that is an implementation's own, though nothing
// tells that a call is under way. It returns its number.
func Inside() uint32 {
	lockDefinitions()
	definitions.positions++
	p := definitions.positions
	putByte(byte(event.Place))
	putNumber(uint64(p))
	putText(inside)
	unlockDefinitions()
	return p
}

// inside is how package internal/trace/spec has it.
const inside = "inside of a call"

// Watched defines that a position is in the source of a package that is watched: only what is done
// there is a conflict of transactions.
func Watched(pos uint32) {
	lockDefinitions()
	putByte(byte(event.Watched))
	putNumber(uint64(pos))
	unlockDefinitions()
}

// Independent defines that the transactions of a section make the same accesses whatever they read.
func Independent(section uint32) {
	lockDefinitions()
	putByte(byte(event.Independent))
	putNumber(uint64(section))
	unlockDefinitions()
}

// Test defines a test's name.
func Test(test uint32, name string) {
	lockDefinitions()
	putByte(byte(event.Test))
	putNumber(uint64(test))
	putText(name)
	unlockDefinitions()
}

// Member defines that a goroutine belongs to a test, and those that it will start. A ring has no
// such definitions, as there may be any number.
func Member(g, test uint32) {
	if isRing() {
		return
	}
	lockDefinitions()
	putByte(byte(event.Member))
	putNumber(uint64(g))
	putNumber(uint64(test))
	unlockDefinitions()
}

// Role defines what a method is for.
func Role(method uint32, role string) {
	lockDefinitions()
	putByte(byte(event.Role))
	putNumber(uint64(method))
	putText(role)
	unlockDefinitions()
}

// Formula defines when calls of two methods commute, and where that is said. Results says that
// calls that don't commute differ in what they return, and in nothing else.
func Formula(method, other uint32, results bool, formula, at string) {
	lockDefinitions()
	putByte(byte(event.Formula))
	putNumber(uint64(method))
	putNumber(uint64(other))
	if results {
		putNumber(1)
	} else {
		putNumber(0)
	}
	putText(formula)
	putText(at)
	unlockDefinitions()
}

// Flags of a call site, as package internal/trace/spec has them.
const (
	Ignored = 1 << iota
	Meant
	ByLibrary
	Unused
	Shipped
	Again
)

// CallSite defines what calls of a method at a position are made on: the kind, name and place of
// its declaration.
func CallSite(pos, method, flags uint32, kind, name, at string) {
	lockDefinitions()
	putByte(byte(event.CallSite))
	putNumber(uint64(pos))
	putNumber(uint64(method))
	putNumber(uint64(flags))
	putText(kind)
	putText(name)
	putText(at)
	unlockDefinitions()
}

// Specified defines which access points and methods a type has: their first numbers, and how many
// there are. Bit i of keyed says that the i-th point has a key.
func Specified(typ string, point, method, points, methods uint32, keyed uint64) {
	lockDefinitions()
	putByte(byte(event.Specified))
	putNumber(uint64(point))
	putNumber(uint64(method))
	putNumber(uint64(points))
	putNumber(uint64(methods))
	putNumber(keyed)
	putText(typ)
	unlockDefinitions()
}

// Shape defines what a method is given and returns. Flags and keys are as package
// internal/trace/spec has them.
func Shape(method uint32, flags, keys uint64, params, results string) {
	lockDefinitions()
	putByte(byte(event.Shape))
	putNumber(uint64(method))
	putNumber(flags)
	putNumber(keys)
	putText(params)
	putText(results)
	unlockDefinitions()
}

// Cases defines what the calls of a method touch in some cases of their results, from the first on.
func Cases(method, first uint32, touches string) {
	lockDefinitions()
	putByte(byte(event.Cases))
	putNumber(uint64(method))
	putNumber(uint64(first))
	putText(touches)
	unlockDefinitions()
}

// Exception defines conditions under which calls of two methods commute, whatever they touch.
func Exception(method, other uint32, conditions string) {
	lockDefinitions()
	putByte(byte(event.Exception))
	putNumber(uint64(method))
	putNumber(uint64(other))
	putText(conditions)
	unlockDefinitions()
}

// Act defines that a call of a method at a position decides about one of a method, act, at a line.
func Act(pos, method, line uint32, file, act string) {
	lockDefinitions()
	putByte(byte(event.Act))
	putNumber(uint64(pos))
	putNumber(uint64(method))
	putNumber(uint64(line))
	putText(file)
	putText(act)
	unlockDefinitions()
}

// Key defines the text of a key that has a hash. A ring has no such definitions, as there may be
// any number.
func Key(hash uint64, key string) {
	if isRing() {
		return
	}
	lockDefinitions()
	putByte(byte(event.Key))
	for i := range 8 {
		putByte(byte(hash >> (8 * i)))
	}
	putText(key)
	unlockDefinitions()
}
