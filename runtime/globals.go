// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"unsafe"

	"github.com/commutego/commute/internal/host"
	"github.com/commutego/commute/internal/offheap"
)

// A global is a package-level variable that is or contains an object of a specified type.
type global struct {
	next       *global
	addr, size uintptr
	text       string // pkg, name, file:line
}

var globals struct {
	lock  offheap.Lock
	first *global
}

// Global tells of the variable at addr. text, which is not copied, has its package, name and
// file:line, separated by tabs.
func Global(addr, size uintptr, text string) {
	g := (*global)(host.Alloc(unsafe.Sizeof(global{})))
	g.addr, g.size, g.text = addr, size, text
	globals.lock.Lock()
	g.next = globals.first
	globals.first = g
	globals.lock.Unlock()
}

// globalAt returns the declaration of the variable that addr is in.
func globalAt(addr uintptr) (d declaration, ok bool) {
	for g := globals.first; g != nil; g = g.next {
		if addr-g.addr >= g.size {
			continue
		}
		pkg, f := cut(g.text, '\t')
		name, pos := cut(f, '\t')
		key := g.text[:len(pkg)+1+len(name)]
		return declaration{kind: "global", key: key, name: name, pos: pos}, true
	}
	return d, false
}
