// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"

	"github.com/commutego/commute/internal/engine/compiled"
	"golang.org/x/tools/go/ssa"
)

// A container may share memory with a slice: with one that a method has returned, as Bytes of a
// bytes.Buffer does, or that it was made of. What its other methods write there is not known.

// A lent is the type of the elements that a container shares.
type lent struct{ container, elem types.Type }

// noteLent notes what a call says of containers that share memory.
func (m *memory) noteLent(f *function, call *ssa.Call) {
	fn := call.Call.StaticCallee()
	if fn == nil || m.function(fn) != nil {
		return
	}
	if fn.String() == "bytes.NewBuffer" {
		for _, use := range *call.Referrers() {
			if _, ok := use.(*ssa.Store); ok {
				m.lent = append(m.lent, lent{call.Type(), types.Typ[types.Byte]})
			}
		}
		return
	}
	if len(f.containerSites(call)) == 0 {
		return
	}
	for v := range fn.Signature.Results().Variables() {
		if s, ok := v.Type().Underlying().(*types.Slice); ok {
			m.lent = append(m.lent, lent{fn.Signature.Recv().Type(), s.Elem()})
		}
	}
}

// isLent reports whether a container may write elements of a slice in a section.
func (m *memory) isLent(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	for _, x := range m.lent {
		if types.Identical(x.elem, s.Elem()) && m.writtenLocked(x.container) {
			return true
		}
	}
	return false
}

// writtenLocked reports whether a section calls a mutator of a container type.
func (m *memory) writtenLocked(container types.Type) bool {
	if m.mutated == nil {
		m.mutated = make(map[*types.TypeName]bool)
		for _, f := range m.functions {
			for _, e := range f.summary() {
				call, ok := e.containerCall()
				if ok && e.op == compiled.WriteInner && len(e.locks) > 0 {
					m.mutated[receiverName(call.Call.StaticCallee().Signature.Recv())] = true
				}
			}
		}
	}
	p, ok := types.Unalias(container).(*types.Pointer)
	if ok {
		container = p.Elem()
	}
	named, ok := types.Unalias(container).(*types.Named)
	return !ok || m.mutated[named.Origin().Obj()]
}
