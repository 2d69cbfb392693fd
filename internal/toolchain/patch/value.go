// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import "go/ast"

// typeHooks is added where neither accesses to memory nor schedules are followed. A Value's two
// words are its type and its data. Whoever has stored data has announced it, and had announced all
// that it did to the type, or knew of it. So a load that finds a type need not be announced, but
// for its data. One that finds no type sees nothing that another goroutine has done. Nor is it
// announced that the first store begins: nobody goes on with that before the type is there, whose
// store is announced. All that is so unless sections of atomic operations are followed, which begin
// with the first word.
const typeHooks = `
//go:linkname commute_atomicWhole runtime.commute_atomicWhole
func commute_atomicWhole() bool

// commuteTypeLoadPointer is how Load loads the type.
func commuteTypeLoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	if commute_atomicWhole() {
		return CommuteLoadPointer(addr)
	}
	return LoadPointer(addr)
}

// commuteFirstLoadPointer is how other methods do.
func commuteFirstLoadPointer(addr *unsafe.Pointer) unsafe.Pointer {
	typ := LoadPointer(addr)
	if (typ == nil || typ == unsafe.Pointer(&firstStoreInProgress)) && !commute_atomicWhole() {
		return typ
	}
	return CommuteLoadPointer(addr)
}

// commuteFirstCompareAndSwapPointer is how these begin the first store.
func commuteFirstCompareAndSwapPointer(addr *unsafe.Pointer, old, new unsafe.Pointer) bool {
	if commute_atomicWhole() {
		return CommuteCompareAndSwapPointer(addr, old, new)
	}
	return CompareAndSwapPointer(addr, old, new)
}
`

// typeCalls are the prefixes of typeHooks, by the calls that take their place: those by which the
// methods of a Value load the type and begin the first store.
func (p *Package) typeCalls() (map[*ast.CallExpr]string, error) {
	f, err := p.parse("value.go")
	if err != nil {
		return nil, err
	}
	prefixes := map[*ast.CallExpr]string{}
	for name, c := range map[string]struct {
		prefix string
		calls  int
	}{
		"Load":           {"commuteType", 1},
		"Store":          {"commuteFirst", 2},
		"Swap":           {"commuteFirst", 2},
		"CompareAndSwap": {"commuteFirst", 2},
	} {
		method, err := f.method("Value", name)
		if err != nil {
			return nil, err
		}
		n := 0
		ast.Inspect(method.Body, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if ok && isOfType(call, "LoadPointer", 1) ||
				ok && c.calls == 2 && isOfType(call, "CompareAndSwapPointer", 3) {
				prefixes[call] = c.prefix
				n++
			}
			return true
		})
		if n != c.calls {
			return nil, p.unexpected("(*Value)." + name + " does not load a type once, and set it")
		}
	}
	return prefixes, nil
}

// isOfType reports whether a call is one of a function for the type in a Value, with so many
// arguments.
func isOfType(call *ast.CallExpr, name string, args int) bool {
	if id, ok := call.Fun.(*ast.Ident); !ok || id.Name != name || len(call.Args) != args {
		return false
	}
	of, ok := call.Args[0].(*ast.UnaryExpr)
	if !ok {
		return false
	}
	field, ok := of.X.(*ast.SelectorExpr)
	return ok && field.Sel.Name == "typ"
}
