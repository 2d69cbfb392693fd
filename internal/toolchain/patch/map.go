// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// mapFile is added to internal/sync: the mutex of its maps, whose order is hidden.
const mapFile = `package sync

import "internal/race"

type commuteMutex struct{ Mutex }

func (m *commuteMutex) Lock() {
	race.Disable()
	m.Mutex.Lock()
	race.Enable()
}

func (m *commuteMutex) Unlock() {
	race.Disable()
	m.Mutex.Unlock()
	race.Enable()
}
`

// hookedMapFile is mapFile where accesses to memory are watched: these need the order of the mutex,
// and calls must not have it. The plain hooks tell the two apart.
const hookedMapFile = `package sync

import (
	"internal/race"
	"unsafe"
)

//go:linkname commute_plainLoad runtime.commute_plainLoad
//go:noescape
func commute_plainLoad(addr unsafe.Pointer)

//go:linkname commute_plainStore runtime.commute_plainStore
//go:noescape
func commute_plainStore(addr unsafe.Pointer)

type commuteMutex struct{ Mutex }

func (m *commuteMutex) Lock() {
	race.Disable()
	m.Mutex.Lock()
	race.Enable()
	commute_plainLoad(unsafe.Pointer(m))
}

func (m *commuteMutex) Unlock() {
	commute_plainStore(unsafe.Pointer(m))
	race.Disable()
	m.Mutex.Unlock()
	race.Enable()
}
`

// Map makes what sync.Map is made of, internal/sync.HashTrieMap, announce no synchronization. How
// calls of a sync.Map order each other is for its specification to say: two calls that commute must
// not. Its own synchronization would otherwise have to be hidden at each call, at a cost. Where
// accesses to memory are watched, it is announced by hooks of its own.
func (p *Package) Map(memory bool) error {
	f, err := p.parse("hashtriemap.go")
	if err != nil {
		return err
	}
	plain := map[string]bool{"Uint32": true, "Bool": true, "Pointer": true}
	mutexes, atomics := 0, 0
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Name == "atomic" {
				if !plain[n.Sel.Name] {
					err = p.unexpected("hashtriemap.go uses atomic." + n.Sel.Name)
				}
				atomics++
				f.insert(n.Sel.Pos(), "CommutePlain")
			}
		case *ast.Field:
			if id, ok := n.Type.(*ast.Ident); ok && id.Name == "Mutex" {
				mutexes++
				f.replace(id.Pos(), id.End(), "commuteMutex")
			}
		}
		return true
	})
	switch {
	case err != nil:
		return err
	case mutexes == 0 || atomics == 0:
		return p.unexpected("hashtriemap.go has no Mutex or no atomic fields")
	}
	added := mapFile
	if memory {
		added = hookedMapFile
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_map.go",
		Data: edit.WithLine("commute/patch/map.go", []byte(added)),
	})
	return nil
}
