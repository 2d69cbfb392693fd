// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import "go/ast"

// typeLoad is added where neither accesses to memory nor schedules are followed. A Value's two
// words are its type and its data. Whoever has stored data has announced it, and had announced all
// that it did to the type, or knew of it. So a load that finds a type need not be announced, but
// for its data, unless sections of atomic operations are followed, which begin with the first word.
const typeLoad = `
//go:linkname commute_atomicWhole runtime.commute_atomicWhole
func commute_atomicWhole() bool

func commuteTypeLoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	typ := LoadPointer(addr)
	if typ == nil || typ == unsafe.Pointer(&firstStoreInProgress) || commute_atomicWhole() {
		return CommuteLoadPointer(addr)
	}
	return typ
}
`

// loadOfType is the call by which the method Load of a Value loads the type, which comes first.
func (p *Package) loadOfType() (*ast.CallExpr, error) {
	f, err := p.parse("value.go")
	if err != nil {
		return nil, err
	}
	load, err := f.method("Value", "Load")
	if err != nil {
		return nil, err
	}
	var calls []*ast.CallExpr
	ast.Inspect(load.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "LoadPointer" {
				calls = append(calls, call)
			}
		}
		return true
	})
	if len(calls) == 2 {
		if of, ok := calls[0].Args[0].(*ast.UnaryExpr); ok {
			if field, ok := of.X.(*ast.SelectorExpr); ok && field.Sel.Name == "typ" {
				return calls[0], nil
			}
		}
	}
	return nil, p.unexpected("(*Value).Load does not load a type and data")
}
