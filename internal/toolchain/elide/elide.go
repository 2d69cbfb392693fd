// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package elide removes calls from an object file that announce an access to memory again. With
// -race, the compiler puts a call before each access, of runtime.raceread and the like, which
// announces the access. If the same bytes were announced before, with nothing but such calls in
// between, the second call adds nothing: the engine would find that the epoch already has the
// access.
//
// Nor is a call needed where no race is possible: for a read of constants, by which generic code
// represents its types, and for an access to the goroutine's own stack.
//
// Input: an object file of the compiler for amd64. Output: the same file, with instructions without
// effect in place of some calls.
//
// # Terms
//
//	hook    a function of the runtime that announces an access
//	repeat  a call of a hook for bytes that were announced already: a write by writes, a read by
//	        reads and writes; here also a call for an access that cannot race
//	value   the contents of a register or a slot, as an unknown number plus a constant
//	slot    some bytes of the function's frame
//	span    bytes that were announced
//	home    the slot of a parameter, in its caller's frame: here, of a dictionary
//
// A dictionary describes the types that generic code was instantiated with: constant words, which
// are addresses of types, of code, and of other dictionaries.
//
// # What is proven
//
// A function is decoded and divided into blocks. A call ends all knowledge, except calls of hooks
// and of the collector's write barrier. So the known announcements at a place were made since the
// last call, and the goroutine has not synchronized since, because that takes a call. If an access
// of another goroutine comes between two accesses and nothing orders it, it races with the first
// one, and this race is reported.
//
// Registers do not live over a call, so addresses come from the frame. Equal values are found by
// value numbering: the same operation on the same values has the same number. A value that is
// loaded from memory outside of the frame gets a new number each time. At the start of a block, the
// facts hold that hold at the ends of all its predecessors. For loops, the analysis goes through
// the function until nothing changes.
//
// Slots whose address is taken may be changed by a store through a pointer, and so may those above
// them. An unknown instruction ends all knowledge. A function with a jump to an address in a
// register, or with an instruction that can't be decoded, stays unchanged. So does an object in an
// unknown format.
//
// # What is constant
//
// The compiler gives the address of its dictionary to a function of generic code as its first
// parameter, after the receiver. The name of the symbol shows that a function has one. No code
// takes the address of this parameter, and only the function's own code stores to its home. So its
// value stays the same over calls. A value that is loaded from a dictionary is again the address of
// a constant.
//
// An address that is computed from the stack pointer is in the function's frame, or in its
// parameters. Variables of these that other goroutines could reach are on the heap.
//
// # What is written
//
// A call is the byte E8 and four bytes that the linker fills in. The byte E8 becomes A9, an
// instruction that tests a register against these four bytes. It has the same length, and changes
// only flags, which no code reads after a call. So no other byte changes, and no table of the
// function or relocation. A wrong proof could lose a race, but not break a program.
package elide

import (
	"fmt"
	"os"
	"path/filepath"
)

// Knows reports whether the package can remove calls on an architecture.
func Knows(goarch string) bool { return goarch == "amd64" }

// Counts has the numbers of calls in an object, and of removed ones.
type Counts struct {
	Calls   int // of hooks
	Repeats int // those of them that were removed
}

// File removes the repeats from an object file, or an archive with one. Goroot has the release that
// compiled it. If there is an error, the file is still valid. File takes time linear in the code:
// it goes through a function at most 13 times.
func File(goroot, name string) (n Counts, err error) {
	list, err := os.ReadFile(filepath.Join(goroot, "src", "cmd", "internal", "goobj",
		"builtinlist.go"))
	if err != nil {
		return n, err
	}
	callees, err := builtinCallees(string(list))
	if err != nil {
		return n, fmt.Errorf("%s: %w", goroot, err)
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return n, err
	}
	defer func() { err = closed(file, err) }()
	data, err := os.ReadFile(name)
	if err != nil {
		return n, err
	}
	n, places, err := repeats(data, callees)
	if err != nil {
		return n, fmt.Errorf("%s: %w", name, err)
	}
	for _, at := range places {
		if _, err := file.WriteAt([]byte{opcodeTest}, int64(at)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// closed closes a file, and returns the first error.
func closed(f *os.File, err error) error {
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// repeats finds the places in a file where calls repeat others.
func repeats(file []byte, callees map[symbol]callee) (n Counts, places []int, err error) {
	o, err := findObject(file)
	if err != nil {
		return n, nil, err
	}
	if err := o.addNamed(callees); err != nil {
		return n, nil, err
	}
	list, err := o.functions()
	if err != nil {
		return n, nil, err
	}
	for i := range list {
		f := &list[i]
		hooks := f.hooks(callees)
		n.Calls += hooks
		if hooks == 0 || !f.readRelocs() {
			continue
		}
		fl, ok := decode(f)
		if !ok {
			continue
		}
		for _, at := range prove(f, fl, callees, maxPasses) {
			n.Repeats++
			places = append(places, f.start+at)
		}
	}
	return n, places, nil
}
