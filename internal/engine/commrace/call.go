// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
)

// A Call is a method call as the instrumented method hands it over. Package
// internal/rewrite/instrument prints this declaration for the methods.
type Call struct {
	Spec   *Spec
	Obj    unsafe.Pointer
	Args   unsafe.Pointer // *[Nargs]any: parameters, then results
	Keys   [maxKeys]uint64
	Priv   [6]uintptr // the engine's: [0] is the pending call, [4] and [5] are the call's Place
	Method uint32
	Beta   uint32 // the case of the method's specification that the results have chosen
	Nargs  uint32
	State  uint32 // 1: returned
}

// A Spec is the specification of an instrumented type.
type Spec struct {
	Of    *compiled.Table
	Table uintptr // *Table, set by the engine at the first call
}

// A Place is where a call was made: the return address in its caller, and the distance of the
// caller's frame from the end of the stack. Both are 0 where that isn't known. Two calls with the
// same Frame were made by the same activation of one function, as far as can be told.
type Place struct{ Site, Frame uintptr }

// SetPlace says where a call is made.
func (c *Call) SetPlace(p Place) { c.Priv[4], c.Priv[5] = p.Site, p.Frame }

// CalledAt is the return address of the call, 0 if it isn't known.
func (c *Call) CalledAt() uintptr { return c.Priv[4] }

// CalledIn tells the activation that has made the call from others of its function, and of others
// that run meanwhile; 0 if it isn't known.
func (c *Call) CalledIn() uintptr { return c.Priv[5] }

func (c *Call) Place() Place { return Place{c.Priv[4], c.Priv[5]} }

// pendingOf is the record of a call that has begun, nil if it has none.
func pendingOf(c *Call) *pending { return *(**pending)(unsafe.Pointer(&c.Priv[0])) }

// An eface is the representation of an interface value without methods.
type eface struct {
	typ, data unsafe.Pointer
}

// ArgHash is the hash of a parameter or result that semantic exceptions compare, of a call that
// has it: see Arg.
func (c *Call) ArgHash(i int) uint64 {
	v := (*any)(unsafe.Add(c.Args, uintptr(i)*unsafe.Sizeof(eface{})))
	return host.Hash(*v)
}

// Value is a pointer to the i-th argument or result of a call that is being made, from its Args.
func Value(args unsafe.Pointer, i int) unsafe.Pointer {
	v := (*eface)(unsafe.Add(args, uintptr(i)*unsafe.Sizeof(eface{})))
	return host.Data(v.typ, &v.data)
}

// Arg is what is kept of a parameter or result of a call that is being made. It is not ok if the
// call has no such parameter or result.
func (c *Call) Arg(i int) (a Arg, ok bool) {
	if c.Args == nil || i >= int(min(c.Nargs, maxArgs)) {
		return a, false
	}
	a.keep((*eface)(unsafe.Add(c.Args, uintptr(i)*unsafe.Sizeof(eface{}))))
	return a, true
}
