// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package runtime is the top of the engine.
package runtime

import (
	"unsafe"

	"example.com/engine/host"
	"example.com/engine/tally"
)

// Kind tells events apart.
type Kind int

// The kinds of events.
const (
	Acquire Kind = iota
	Release
	Go
	Load
	Store
	RMW
	Begin
	Register
	Call
	Memory
	kinds
)

type counters struct {
	tally.Counter // embedded: the field's name has to follow the type's
	last          uintptr
}

var all [kinds]counters

// names are in order.
var names = [kinds]string{"acquire", "release", "go", "load", "store", "rmw", "begin", "register", "call", "memory"}

// Count counts an event at addr.
func Count(k Kind, addr unsafe.Pointer) {
	all[k].Counter.Add()
	all[k].last = uintptr(addr) // no pointer: hooks cannot have write barriers
}

// Print prints the counts.
func Print() {
	host.Tell()
	if !host.Enabled() {
		return
	}
	for i := range all {
		c := &all[i]
		host.Write("tally " + names[i] + " ")
		if c.Value() == 0 {
			host.Write("0\n")
		} else {
			host.Write("some\n")
		}
	}
}
