// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A Call is a method call as the instrumented method hands it over. Package
// internal/rewrite/instrument prints this declaration for the methods.
type Call struct {
	Spec   *Spec
	Obj    unsafe.Pointer
	Args   unsafe.Pointer // *[Nargs]any: parameters, then results
	Keys   [maxKeys]uint64
	Priv   [6]uintptr // of the engine: [0] is the pending call, [4] and [5] are where it is made
	Method uint32
	Beta   uint32
	Nargs  uint32
	State  uint32 // 1: returned
}

// A Spec is the specification of an instrumented type.
type Spec struct {
	Of    *compiled.Table
	Table uintptr // *Table, set by the engine at the first call
}

// An Action is a call that was made, kept for as long as some later call may be in a race with it.
// It keeps no object of the program alive.
type Action struct {
	// What others look at, in one line of the processor's cache.
	refs   uint32
	Method uint32
	Txn    vclock.Epoch // when it was made, for transactions; 0 if none ran
	Goid   uint64
	gen    uint32 // the object's generation then
	began  uint32 // the generation when it began, 0 for observers
	ended  uint32 // and when it ended
	loose  bool   // it's to be told if it is repeated: see again
	doubt  bool   // it was repeated, perhaps with other values
	mixed  bool   // what an observation saw may have been changed before it ended, or since by its goroutine
	At     Place  // where it was called, the last time if it was repeated
	seen   checks // others' that it has superseded

	checks  checks // that it depends on
	keys    [maxKeys]uint64
	nargs   uint32
	beta    uint32
	until   uint32  // of an observation with callbacks: up to when it's not known what came before it
	Stack   uintptr // where it was called: for the sink
	Origin  uintptr // where its goroutine was started: likewise
	Creator uint64  // the goroutine that started it
	Owner   uintptr // whom the sink charges
	stamp   vclock.Stamp
	args    [maxArgs]Arg
	hash    [maxArgs]uint64 // of arguments in residues
	Elided  uint32          // of its stack, the frames that are not kept: for the sink
	_       [28]byte        // it is 7 such lines long
}

// What is kept of a text: all of it up to MaxText bytes, and of a longer string its first bytes and
// the last MaxTail. Two strings that begin alike are told apart by those, or by their lengths.
const (
	MaxText = 64
	MaxTail = 24
)

// MaxLen is the greatest length that is known of a string; a longer one has that.
const MaxLen = 1 << 30

// An Arg is what is kept of an argument or result for reports: its type, and some bytes of its
// representation. A text that has no room in it is kept outside, and belongs to it: see
// [Action.Own] and [Arg.Drop].
type Arg struct {
	Type unsafe.Pointer
	Len  uint32 // of the value; for strings of the text
	buf  [20]byte
}

var texts offheap.Slab[[MaxText]byte]

// outside is where an Arg whose text has no room in it has the reference to the text.
func (a *Arg) outside() *offheap.Ref[[MaxText]byte] {
	const at = 4 // aligned as a word is
	return (*offheap.Ref[[MaxText]byte])(unsafe.Pointer(&a.buf[at]))
}

// long reports whether the text is kept outside.
func (a *Arg) long() bool { return a.Len > uint32(len(a.buf)) }

// Bytes are the kept bytes: of a string the text, of a pointer its value.
func (a *Arg) Bytes() []byte {
	if a.long() {
		return a.outside().P()[:min(a.Len, MaxText)]
	}
	return a.buf[:a.Len]
}

// Keep sets the bytes, to the beginning of a text that stands for the value.
func (a *Arg) Keep(text []byte) {
	a.Drop()
	a.Len = uint32(len(text))
	copy(a.room(), text)
}

// keepString sets the bytes to those of a string.
func (a *Arg) keepString(s string) {
	a.Len = uint32(min(len(s), MaxLen))
	room := a.room()
	if copy(room, s) < len(s) {
		copy(room[MaxText-MaxTail:], s[len(s)-MaxTail:])
	}
}

// room is where to put a text of the length Len.
func (a *Arg) room() []byte {
	if !a.long() {
		return a.buf[:]
	}
	p := texts.Get()
	*a.outside() = offheap.To(p)
	return p[:]
}

// Drop gives the text back that is kept outside, if there is one.
func (a *Arg) Drop() {
	if a.long() {
		texts.Put(a.outside().P())
	}
	a.Len = 0
}

// Value is a pointer to the i-th argument or result of a call that is being made, from its Args.
func Value(args unsafe.Pointer, i int) unsafe.Pointer {
	v := (*eface)(unsafe.Add(args, uintptr(i)*unsafe.Sizeof(eface{})))
	return host.Data(v.typ, &v.data)
}

// Args are the call's parameters and results, as many as the method's specification names.
func (a *Action) Args() []Arg { return a.args[:a.nargs] }

var actions offheap.Slab[Action]

// An eface is the representation of an interface value without methods.
type eface struct {
	typ, data unsafe.Pointer
}

// newAction makes an action with one reference from a call that is being made.
func newAction(t *Table, c *Call) *Action {
	a := actions.Get()
	*a = Action{refs: 1, Method: c.Method, beta: c.Beta, At: c.place(), keys: c.Keys}
	if c.Args == nil {
		return a
	}
	a.nargs = min(c.Nargs, maxArgs)
	residue := t.Methods[c.Method].residue
	for i := range a.nargs {
		v := (*eface)(unsafe.Add(c.Args, uintptr(i)*unsafe.Sizeof(eface{})))
		a.args[i].keep(v)
		if residue>>i&1 != 0 {
			a.hash[i] = host.Hash(*(*any)(unsafe.Pointer(v)))
		}
	}
	return a
}

// action keeps a call that is over.
func (o *Object) action(c *Call, s Sink) *Action {
	a := newAction(o.Table(), c)
	s.Capture(a, c.Args)
	return a
}

// Kinds, as in package reflect.
const (
	kindBool       = 1
	kindInt        = 2
	kindComplex128 = 16
	kindChan       = 18
	kindFunc       = 19
	kindMap        = 21
	kindPointer    = 22
	kindString     = 24
	kindUnsafe     = 26
)

// scalarSize is the size of the kinds from bool to complex128.
var scalarSize = [kindComplex128 + 1]uint8{kindBool: 1, kindInt: uint8(wordSize), 1, 2, 4, 8, uint8(wordSize), 1, 2, 4, 8, uint8(wordSize), 4, 8, 8, 16}

const wordSize = unsafe.Sizeof(uintptr(0))

func (a *Arg) keep(v *eface) {
	a.Type = v.typ
	if v.typ == nil {
		return
	}
	switch kind := host.Kind(v.typ); {
	case kind >= kindBool && kind <= kindComplex128:
		a.Len = uint32(scalarSize[kind])
		copy(a.buf[:], unsafe.Slice((*byte)(v.data), a.Len))
	case kind == kindString:
		a.keepString(*(*string)(v.data))
	case kind == kindChan, kind == kindFunc, kind == kindMap, kind == kindPointer, kind == kindUnsafe:
		a.Len = uint32(wordSize)
		p := uintptr(v.data)
		copy(a.buf[:], unsafe.Slice((*byte)(unsafe.Pointer(&p)), wordSize))
	}
}

// Ref adds a reference. The object's lock is held, or the caller has a reference.
func (a *Action) ref() *Action {
	a.refs++
	return a
}

// unref takes one away; the object's lock is held.
func (a *Action) unref() {
	a.refs--
	if a.refs == 0 {
		a.checks.drop()
		a.seen.drop()
		a.stamp.Drop()
		a.Drop()
		actions.Put(a)
	}
}

// Own gives a copy of an action texts of its own. They are given back by Drop.
func (a *Action) Own() {
	args := a.Args()
	for i := range args {
		if args[i].long() {
			text := args[i].outside().P()
			copy(args[i].room(), text[:])
		}
	}
}

// Drop forgets the arguments.
func (a *Action) Drop() {
	args := a.Args()
	for i := range args {
		args[i].Drop()
	}
	a.nargs = 0
}
