// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"go/ast"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/internal/toolchain/atomics"
	"github.com/commutego/commute/internal/toolchain/edit"
)

// atomicHeader opens the file that is added to sync/atomic.
const atomicHeader = `package atomic

import "unsafe"

//go:linkname commute_atomicLoad runtime.commute_atomicLoad
//go:noescape
func commute_atomicLoad(addr unsafe.Pointer) (fixed bool)

//go:linkname commute_atomicStore runtime.commute_atomicStore
//go:noescape
func commute_atomicStore(addr unsafe.Pointer) (fixed bool)

//go:linkname commute_atomicRMW runtime.commute_atomicRMW
//go:noescape
func commute_atomicRMW(addr unsafe.Pointer) (fixed bool)

//go:linkname commute_atomicDone runtime.commute_atomicDone
//go:noescape
func commute_atomicDone(addr unsafe.Pointer)

//go:linkname commute_atomicMade runtime.commute_atomicMade
//go:noescape
func commute_atomicMade(addr unsafe.Pointer)
`

// pointHeader follows where schedules are explored. The hook comes before each operation.
const pointHeader = `
//go:linkname commute_atomicPoint runtime.commute_atomicPoint
//go:noescape
func commute_atomicPoint(addr unsafe.Pointer)

//go:linkname commute_atomicLoadPoint runtime.commute_atomicLoadPoint
//go:noescape
func commute_atomicLoadPoint(addr unsafe.Pointer)
`

// plainCount is the type of the numbers of readers of a sync.RWMutex.
const plainCount = `
type CommutePlainInt32 struct {
	_ noCopy
	v int32
}

func (x *CommutePlainInt32) Load() int32           { return LoadInt32(&x.v) }
func (x *CommutePlainInt32) Add(delta int32) int32 { return AddInt32(&x.v, delta) }
func (x *CommutePlainInt32) CompareAndSwap(old, new int32) bool {
	return CompareAndSwapInt32(&x.v, old, new)
}
`

// plainTypes are the types without hooks, for sync.Map.
const plainTypes = `
// The types that internal/sync's maps are made of, without hooks (see patch.Map).

type CommutePlainUint32 struct {
	_ noCopy
	v uint32
}

func (x *CommutePlainUint32) Load() uint32     { return LoadUint32(&x.v) }
func (x *CommutePlainUint32) Store(val uint32) { StoreUint32(&x.v, val) }

type CommutePlainBool struct {
	_ noCopy
	v uint32
}

func (x *CommutePlainBool) Load() bool     { return LoadUint32(&x.v) != 0 }
func (x *CommutePlainBool) Store(val bool) { StoreUint32(&x.v, b32(val)) }

type CommutePlainPointer[T any] struct {
	_ [0]*T
	_ noCopy
	v unsafe.Pointer
}

func (x *CommutePlainPointer[T]) Load() *T     { return (*T)(LoadPointer(&x.v)) }
func (x *CommutePlainPointer[T]) Store(val *T) { StorePointer(&x.v, unsafe.Pointer(val)) }
func (x *CommutePlainPointer[T]) Swap(new *T) (old *T) {
	return (*T)(SwapPointer(&x.v, unsafe.Pointer(new)))
}
func (x *CommutePlainPointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	return CompareAndSwapPointer(&x.v, unsafe.Pointer(old), unsafe.Pointer(new))
}
`

// hookedTypes are plainTypes where accesses to memory are watched.
const hookedTypes = `
//go:linkname commute_plainLoad runtime.commute_plainLoad
//go:noescape
func commute_plainLoad(addr unsafe.Pointer)

//go:linkname commute_plainStore runtime.commute_plainStore
//go:noescape
func commute_plainStore(addr unsafe.Pointer)

//go:linkname commute_plainRMW runtime.commute_plainRMW
//go:noescape
func commute_plainRMW(addr unsafe.Pointer)

// The types that internal/sync's maps are made of, with hooks of their own (see patch.Map).

type CommutePlainUint32 struct {
	_ noCopy
	v uint32
}

func (x *CommutePlainUint32) Load() uint32 {
	val := LoadUint32(&x.v)
	commute_plainLoad(unsafe.Pointer(&x.v))
	return val
}

func (x *CommutePlainUint32) Store(val uint32) {
	commute_plainStore(unsafe.Pointer(&x.v))
	StoreUint32(&x.v, val)
}

type CommutePlainBool struct {
	_ noCopy
	v uint32
}

func (x *CommutePlainBool) Load() bool {
	val := LoadUint32(&x.v) != 0
	commute_plainLoad(unsafe.Pointer(&x.v))
	return val
}

func (x *CommutePlainBool) Store(val bool) {
	commute_plainStore(unsafe.Pointer(&x.v))
	StoreUint32(&x.v, b32(val))
}

type CommutePlainPointer[T any] struct {
	_ [0]*T
	_ noCopy
	v unsafe.Pointer
}

func (x *CommutePlainPointer[T]) Load() *T {
	val := (*T)(LoadPointer(&x.v))
	commute_plainLoad(unsafe.Pointer(&x.v))
	return val
}

func (x *CommutePlainPointer[T]) Store(val *T) {
	commute_plainStore(unsafe.Pointer(&x.v))
	StorePointer(&x.v, unsafe.Pointer(val))
}

func (x *CommutePlainPointer[T]) Swap(new *T) (old *T) {
	commute_plainRMW(unsafe.Pointer(&x.v))
	old = (*T)(SwapPointer(&x.v, unsafe.Pointer(new)))
	commute_plainLoad(unsafe.Pointer(&x.v))
	return old
}
func (x *CommutePlainPointer[T]) CompareAndSwap(old, new *T) (swapped bool) {
	commute_plainRMW(unsafe.Pointer(&x.v))
	swapped = CompareAndSwapPointer(&x.v, unsafe.Pointer(old), unsafe.Pointer(new))
	commute_plainLoad(unsafe.Pointer(&x.v))
	return swapped
}
`

// Atomic adds a hooked copy of each function to sync/atomic, and makes the methods of its types
// call the copies. The functions themselves stay as they are, for packages under the hooks. Memory
// says whether accesses to memory are watched.
func (p *Package) Atomic(memory bool) error {
	var added strings.Builder
	added.WriteString(atomicHeader)
	if p.Explores || p.Perturbs {
		added.WriteString(pointHeader)
	}
	added.WriteString(plainCount)
	if memory {
		added.WriteString(hookedTypes)
	} else {
		added.WriteString(plainTypes)
	}
	known := make(map[string]bool)
	for _, path := range p.Files {
		name := filepath.Base(path)
		if !strings.HasPrefix(name, "doc") {
			continue
		}
		f, err := p.parse(name)
		if err != nil {
			return err
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			function, err := p.hooked(fn)
			if err != nil {
				return err
			}
			known[fn.Name.Name] = true
			added.WriteString(function)
		}
		p.Whole = append(p.Whole, path)
	}
	for _, name := range atomics.Functions() {
		if !known[name] {
			return p.unexpected("it does not declare " + name)
		}
	}
	var ofType map[*ast.CallExpr]string
	if !memory && !p.Explores && !p.Perturbs {
		added.WriteString(typeHooks)
		var err error
		if ofType, err = p.typeCalls(); err != nil {
			return err
		}
	}
	for _, name := range []string{"type.go", "value.go"} {
		f, err := p.parse(name)
		if err != nil {
			return err
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if id, ok := call.Fun.(*ast.Ident); ok && known[id.Name] {
					prefix := atomics.Prefix
					if of := ofType[call]; of != "" {
						prefix = of
					}
					f.insert(id.Pos(), prefix)
				}
			}
			return true
		})
		if len(p.Edits[f.path]) == 0 {
			return p.unexpected(name + " calls none of its functions")
		}
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_atomic.go",
		Data: edit.WithLine("commute/patch/atomic.go", []byte(added.String())),
	})
	return nil
}

// atomicSignatures are the signatures that functions of sync/atomic have, by their operation; T is
// the type that they are for.
var atomicSignatures = map[string]string{
	"Load":           "func(*T) (T)",
	"Store":          "func(*T, T)",
	"Swap":           "func(*T, T) (T)",
	"Add":            "func(*T, T) (T)",
	"And":            "func(*T, T) (T)",
	"Or":             "func(*T, T) (T)",
	"CompareAndSwap": "func(*T, T, T) (bool)",
}

// hookedBodies are the hooked copies of functions, by their operation. @F stands for the function,
// @T for the type, and @N for the type's name in functions.
//
// A hook that returns true has fixed the order of the operation among those at its address. A load
// is then repeated, and commute_atomicMade lets others go on. A CompareAndSwap that is going to
// fail is a load: it releases nothing.
var hookedBodies = map[string]string{
	"Load": `
func Commute@F(addr *@T) (val @T) {
	val = @F(addr)
	if commute_atomicLoad(unsafe.Pointer(addr)) {
		val = @F(addr)
		commute_atomicMade(unsafe.Pointer(addr))
		commute_atomicDone(unsafe.Pointer(addr))
	}
	return val
}
`,
	"Store": `
func Commute@F(addr *@T, val @T) {
	if commute_atomicStore(unsafe.Pointer(addr)) {
		@F(addr, val)
		commute_atomicMade(unsafe.Pointer(addr))
		return
	}
	@F(addr, val)
}
`,
	"CompareAndSwap": `
func Commute@F(addr *@T, old, new @T) (swapped bool) {
	if Load@N(addr) != old {
		if !commute_atomicLoad(unsafe.Pointer(addr)) {
			return false // and releases nothing
		}
		fails := Load@N(addr) != old
		commute_atomicMade(unsafe.Pointer(addr))
		if fails {
			commute_atomicDone(unsafe.Pointer(addr))
			return false
		}
	}
	fixed := commute_atomicRMW(unsafe.Pointer(addr))
	swapped = @F(addr, old, new)
	if fixed {
		commute_atomicMade(unsafe.Pointer(addr))
	}
	commute_atomicDone(unsafe.Pointer(addr))
	return swapped
}
`,
}

// hookedRMW is the hooked copy of a function that reads and writes.
const hookedRMW = `
func Commute@F(addr *@T, arg @T) (val @T) {
	fixed := commute_atomicRMW(unsafe.Pointer(addr))
	val = @F(addr, arg)
	if fixed {
		commute_atomicMade(unsafe.Pointer(addr))
	}
	commute_atomicDone(unsafe.Pointer(addr))
	return val
}
`

// hooked writes the hooked copy of fn. A store is announced before it is made, and a load after. So
// a goroutine that reads a value also has the clock that came with it. A nil address is left to the
// operation itself, which panics as ever.
func (p *Package) hooked(fn *ast.FuncDecl) (string, error) {
	name, sig := fn.Name.Name, signature(fn.Type)
	op, typ := atomics.Split(name)
	t := goType(typ)
	expect := atomicSignatures[op]
	if expect == "" || sig != strings.ReplaceAll(expect, "T", t) {
		return "", p.unexpected(fmt.Sprintf("it declares %s%s", name, trimFunc(sig)))
	}
	body, ok := hookedBodies[op]
	if !ok {
		body = hookedRMW
	}
	if p.Explores || p.Perturbs {
		point := "commute_atomicPoint"
		if op == "Load" {
			point = "commute_atomicLoadPoint"
		}
		body = strings.Replace(body, "{\n", "{\n\t"+point+"(unsafe.Pointer(addr))\n", 1)
	}
	return strings.NewReplacer("@F", name, "@T", t, "@N", typ).Replace(body), nil
}

// goType is the type that a function's name ends in: Int32 stands for int32.
func goType(name string) string {
	if name == "Pointer" {
		return "unsafe.Pointer"
	}
	return strings.ToLower(name)
}
