// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package bundle

import (
	_ "embed"
	"go/ast"
	"go/parser"
	"go/types"
)

// atomicStub declares the part of sync/atomic that the engine may use.
//
//go:embed stub/atomic.go.txt
var atomicStub string

// atomicShim implements that part over internal/runtime/atomic, as a file of package runtime. The
// types there differ: Uint32.Add takes an int32, Bool has no Swap, and Pointer has write barriers.
//
//go:embed stub/runtime.go.txt
var atomicShim string

// loadAtomic checks the stub in place of sync/atomic.
func (b *bundler) loadAtomic() error {
	file, err := parser.ParseFile(b.fset, "sync/atomic", atomicStub, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	conf := types.Config{Sizes: b.sizes, Importer: b}
	b.atomic, err = conf.Check("sync/atomic", b.fset, []*ast.File{file}, nil)
	if err != nil {
		return err
	}
	b.prefix[b.atomic] = "commute_atomic_"
	return nil
}
