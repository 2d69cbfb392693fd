// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

// homes writes what is known of the variables, objects, locks and channels of a cycle.
func homes(b *buffer, c *atomicity.Cycle) {
	for i := range c.N {
		if e := &c.Edges[i]; e.Kind != atomicity.Go && !isShown(b, c, i, e.Addr) {
			home(b, e.Addr, e.AllocSite, true)
		}
	}
	if e := letGo(c); e != nil && !isShown(b, c, c.N, e.Addr) {
		home(b, e.Addr, e.AllocSite, true)
	}
}

// isShown reports whether what is at an address is shown with one of the first n edges.
func isShown(b *buffer, c *atomicity.Cycle, n int, addr uintptr) bool {
	for i := range n {
		if e := &c.Edges[i]; e.Kind != atomicity.Go && b.together(e.Addr, addr) {
			return true
		}
	}
	return false
}

// printHome writes what is known of the memory at addr.
func printHome(b *buffer, addr uintptr) { home(b, addr, b.at(addr).home, false) }

// home is printHome for memory that was allocated at a site; nothing is written of a block that was allocated elsewhere since.
// Several says that it's not the only one in the report.
func home(b *buffer, addr uintptr, site uint32, several bool) {
	k := b.at(addr)
	v, global := declaration{}, false
	if !k.heap {
		v, global = globalAt(addr)
	}
	if !global && (site <= datarace.CutOff || k.home != site) {
		return
	}
	b.text("\nLocation")
	if several {
		b.text(" of ")
		b.address(addr)
	}
	if global {
		b.texts(": variable ", v.name, ", declared at ")
		b.texts(stripped(v.pos), "\n")
		return
	}
	b.text(": heap block of ")
	b.uint(uint64(k.size))
	b.text(" bytes at ")
	b.address(k.start)
	b.text(", allocated at:\n")
	top := true // what allocates for the program is not shown
	eachFrame(site, func(fr host.Frame) bool {
		if top = top && (hasPrefix(fr.Func, "runtime.") || hasPrefix(fr.Func, "internal/runtime/")); !top {
			frameLine(b, fr)
		}
		return true
	})
}
