// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/atomicity"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/text"
)

// printLocations writes what is known of the variables, objects, locks and channels of a cycle.
func printLocations(b *text.Buffer, c *atomicity.Cycle) {
	for i := range c.N {
		e := &c.Edges[i]
		if isVariable(e) && !isNamed(c, i) {
			printField(b, e.Addr, accessOf(e, true), accessOf(e, false), true)
		}
		if e.Kind != atomicity.Go && !isShown(b, c, i, e.Addr) {
			printLocation(b, e.Addr, e.AllocSite, true)
		}
	}
	if e := releasedLock(c); e != nil && !isShown(b, c, c.N, e.Addr) {
		printLocation(b, e.Addr, e.AllocSite, true)
	}
}

// isVariable reports whether an edge is about a variable.
func isVariable(e *atomicity.Edge) bool {
	return e.Kind == atomicity.Memory || e.Kind == atomicity.Atomic
}

// isNamed reports whether the address of the i-th edge is that of an earlier one, too.
func isNamed(c *atomicity.Cycle, i int) bool {
	for k := range i {
		if isVariable(&c.Edges[k]) && c.Edges[k].Addr == c.Edges[i].Addr {
			return true
		}
	}
	return false
}

// isShown reports whether an address is shown already, with one of the first n edges.
func isShown(b *text.Buffer, c *atomicity.Cycle, n int, addr uintptr) bool {
	for i := range n {
		if e := &c.Edges[i]; e.Kind != atomicity.Go && b.SameBlock(e.Addr, addr) {
			return true
		}
	}
	return false
}

// printField writes which field or variable is at addr, if that is known of what two accesses are
// of, and it is no global variable that is registered.
func printField(b *text.Buffer, addr uintptr, first, second accessAt, several bool) {
	if !b.At(addr).Heap {
		if _, global := source.GlobalAt(addr); global {
			return
		}
	}
	name, decl := variableAt(addr, first, second)
	if name == "" {
		return
	}
	b.Text("\nLocation")
	if several {
		b.Text(" of ")
		b.Address(addr)
	}
	b.Texts(": variable ", name, ", declared at ", stack.Stripped(decl), "\n")
}

// printRaceLocation writes what is known of the memory at addr, which is accessed in two ways.
func printRaceLocation(b *text.Buffer, addr uintptr, first, second accessAt) {
	printField(b, addr, first, second, false)
	printLocation(b, addr, b.At(addr).AllocSite, false)
}

// printLocation is printRaceLocation for memory that was allocated at a site. If the block was
// allocated elsewhere since, it writes nothing. Several says that there are other locations in the
// report.
func printLocation(b *text.Buffer, addr uintptr, site uint32, several bool) {
	k := b.At(addr)
	v, global := source.Declaration{}, false
	if !k.Heap {
		v, global = source.GlobalAt(addr)
	}
	if !global && (site <= datarace.CutOff || k.AllocSite != site) {
		return
	}
	b.Text("\nLocation")
	if several {
		b.Text(" of ")
		b.Address(addr)
	}
	if global {
		b.Texts(": variable ", v.Name, ", declared at ")
		b.Texts(stack.Stripped(v.Pos), "\n")
		return
	}
	b.Text(": heap block of ")
	b.Uint(uint64(k.Size))
	b.Text(" bytes at ")
	b.Address(k.Start)
	b.Text(", allocated at:\n")
	top := true // the functions that allocate for the program are not shown
	stack.EachFrame(site, func(fr host.Frame) bool {
		if top = top &&
			(text.HasPrefix(fr.Func, "runtime.") ||
				text.HasPrefix(fr.Func, "internal/runtime/")); !top {
			stack.FrameLine(b, fr)
		}
		return true
	})
}
