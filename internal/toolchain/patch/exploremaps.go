// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Where schedules are explored, hashes of pointers are hashes of numbers. Package runtime has the
// function that hashes so; see the template exploremaps.go.

// hashFile is added to each package that hashes keys by the functions of maps' types.
const hashFile = `
import (
	"internal/abi"
	"unsafe"
)

//go:linkname commute_pointerHash runtime.commute_pointerHash
func commute_pointerHash(t *abi.Type, p unsafe.Pointer, h uintptr) uintptr

// commute_hash is the hash of a key.
func commute_hash(t *abi.MapType, p unsafe.Pointer, h uintptr) uintptr {
	if !commute_hashesPointers(t) {
		return t.Hasher(p, h)
	}
	return commute_pointerHash(t.Key, p, h)
}

// commute_wordHash is the hash of a key of a word, which otherwise has the hash plain.
func commute_wordHash(t *abi.MapType, word, h, plain uintptr) uintptr {
	if !commute_hashesPointers(t) {
		return plain
	}
	return commute_pointerHash(t.Key, abi.NoEscape(unsafe.Pointer(&word)), h)
}

// commute_hashesPointers reports whether keys may have pointers that are hashed.
func commute_hashesPointers(t *abi.MapType) bool {
	return t.Key.PtrBytes != 0 && t.Key.Kind() != abi.String
}
`

// hasherFile is added where such a function is kept. Package internal/runtime/maps can't have it:
// there nothing is allocated for a closure.
const hasherFile = `
// commute_hasher is the function that hashes keys of a map's type.
func commute_hasher(t *abi.MapType) func(unsafe.Pointer, uintptr) uintptr {
	if !commute_hashesPointers(t) {
		return t.Hasher
	}
	return func(p unsafe.Pointer, h uintptr) uintptr { return commute_pointerHash(t.Key, p, h) }
}
`

// wordHashes are functions of package internal/runtime/maps that hash a key of a word.
var wordHashes = []string{"memHash32AES", "memHash32Fallback", "memHash64AES", "memHash64Fallback"}

// ExploreMaps has a package that hashes keys by the functions of maps' types
// hash pointers by numbers.
func (p *Package) ExploreMaps() error {
	text := "package " + filepath.Base(p.Path) + "\n" + hashFile
	if p.Path != "internal/runtime/maps" {
		text += hasherFile
	}
	p.Added = append(p.Added, edit.Added{Name: "commute_hash.go",
		Data: edit.WithLine("commute/patch/hash.go", []byte(text))})
	n := 0
	for _, path := range p.Files {
		f, err := p.parse(filepath.Base(path))
		if err != nil {
			return err
		}
		n += f.hashPointers()
	}
	if n == 0 {
		return p.unexpected("it hashes no keys")
	}
	return nil
}

// hashPointers has a file hash pointers by numbers. It returns how many places it has changed.
func (f *parsed) hashPointers() (n int) {
	text := func(node ast.Node) string {
		return string(f.data[f.offset(node.Pos()):f.offset(node.End())])
	}
	fast := strings.HasPrefix(filepath.Base(f.path), "runtime_fast")
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.CallExpr:
			switch name := called(x); {
			case name == "Hasher" && len(x.Args) == 2:
				fun := x.Fun.(*ast.SelectorExpr)
				f.replace(x.Pos(), x.Args[0].Pos(), "commute_hash("+text(fun.X)+", ")
				n++
				return false
			case fast && len(x.Args) == 2 && slices.Contains(wordHashes, name):
				f.insert(x.Pos(), "commute_wordHash(typ, uintptr("+text(x.Args[0])+"), "+
					text(x.Args[1])+", ")
				f.insert(x.End(), ")")
				n++
			}
		case *ast.SelectorExpr:
			if x.Sel.Name == "Hasher" {
				f.replace(x.Pos(), x.End(), "commute_hasher("+text(x.X)+")")
				n++
			}
		}
		return true
	})
	return n
}
