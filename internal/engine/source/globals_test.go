// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
)

// variable is a registered variable at an address.
func variable(addr, size uintptr, name, pos string) compiled.Global {
	at := *(*unsafe.Pointer)(unsafe.Pointer(&addr))
	return compiled.Global{Addr: at, Size: size, Name: name, Pos: pos}
}

func TestGlobalAt(t *testing.T) {
	clean(t)
	Keep(&compiled.Registration{Path: "example.com/m", Globals: []compiled.Global{
		variable(0x5000, 48, "cache", "m/m.go:10"),
	}})
	if _, ok := GlobalAt(0x5030); ok {
		t.Error("a variable is found before it is registered")
	}
	Keep(&compiled.Registration{Path: "main", Globals: []compiled.Global{
		variable(^uintptr(0)-7, 8, "last", "x.go:1"),
		variable(0x5030, 0, "empty", "/src/main.go:2"),
		variable(0x5030, 96, "servers", "/src/main.go:3"),
	}})
	cache := Declaration{"global", Key{true, "example.com/m", "cache", ""}, "cache", "m/m.go:10"}
	servers := Declaration{"global", Key{true, "main", "servers", ""}, "servers", "/src/main.go:3"}
	for addr, want := range map[uintptr]Declaration{
		0x4fff:          {},
		0x5000:          cache,
		0x502f:          cache,
		0x5030:          servers,
		0x508f:          servers,
		0x5090:          {},
		0:               {},
		^uintptr(0):     {"global", Key{true, "main", "last", ""}, "last", "x.go:1"},
		^uintptr(0) - 8: {},
	} {
		d, ok := GlobalAt(addr)
		if d != want || ok != (want.Kind != "") {
			t.Errorf("globalAt(%#x) = %v, %v, want %v", addr, d, ok, want)
		}
	}
}
