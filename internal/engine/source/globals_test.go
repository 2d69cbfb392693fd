// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"testing"
)

func TestGlobalAt(t *testing.T) {
	clean(t)
	Global(0x5000, 48, "example.com/m\tcache\tm/m.go:10")
	Global(0x5030, 96, "main\tservers\t/src/main.go:3")
	Global(^uintptr(0)-7, 8, "main\tlast\tx.go:1")
	for addr, want := range map[uintptr]Declaration{
		0x4fff:          {},
		0x5000:          {"global", "example.com/m\tcache", "cache", "m/m.go:10"},
		0x502f:          {"global", "example.com/m\tcache", "cache", "m/m.go:10"},
		0x5030:          {"global", "main\tservers", "servers", "/src/main.go:3"},
		0x508f:          {"global", "main\tservers", "servers", "/src/main.go:3"},
		0x5090:          {},
		0:               {},
		^uintptr(0):     {"global", "main\tlast", "last", "x.go:1"},
		^uintptr(0) - 8: {},
	} {
		d, ok := GlobalAt(addr)
		if d != want || ok != (want.Kind != "") {
			t.Errorf("globalAt(%#x) = %v, %v, want %v", addr, d, ok, want)
		}
	}
}
