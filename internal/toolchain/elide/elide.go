// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package elide leaves out of an object file the calls that announce an access to memory again. The
// compiler, with -race, has each access announced by a call before it: of runtime.raceread and the
// like. Where the same bytes were announced before, and nothing came between but such calls, the
// second call adds nothing: the engine would find that the epoch has the access.
//
// Nor does a call where no race is possible: for a read of constants, which are what generic code
// has for its types, and for an access to the goroutine's own stack.
//
// Input: an object file of the compiler's for amd64. Output: the same file, in which some calls are
// instructions that do nothing.
//
// # Terms
//
//	hook    a function of the runtime that announces an access
//	repeat  a call of a hook for bytes that were announced already: a write by writes, a read by
//	        reads and writes; here also one that no race is possible for
//	value   what a register or a slot holds, as a number that is not known, and a constant
//	slot    some bytes of the function's frame
//	span    bytes that were announced
//	home    the slot of a parameter, in its caller's frame: here, of a dictionary
//
// A dictionary is what generic code is given for the types that it was instantiated with: constant
// words, which are addresses of types, of code, and of other dictionaries.
//
// # What is proven
//
// A function is decoded and divided into blocks. A call ends what is known, but for hooks and the
// collector's write barrier. So what is known at a place has happened since the last call, and the
// goroutine has not synchronized since: that takes a call. An access of another goroutine that
// comes between two of one that nothing orders races with the first, and is reported.
//
// Registers do not live over a call, so addresses come from the frame. Equal values are found by
// value numbering: the same operation on the same values has the same number. What is loaded from
// other memory than the frame is a new number each time. At the start of a block holds what holds
// at the end of all blocks before it. At that of a loop this is found by going through the function
// until nothing changes.
//
// Slots whose address is taken may be changed by a store through a pointer, and so may those above
// them. An instruction that is not known here ends what is known. A function with a jump that leads
// to a place in a register, or with an instruction that can't be decoded, stays as it is. So does
// an object in a format that is not known.
//
// # What is constant
//
// The compiler gives the address of its dictionary to a function of generic code as its first
// parameter, after the receiver. The name of the symbol tells that. Nobody takes the address of
// this parameter, and only the function's own code stores to its home. So it holds over calls. What
// is loaded from a dictionary is the address of a constant again.
//
// An address that is made of the stack pointer is one of the function's frame, or of its
// parameters. Of these, what other goroutines could reach is on the heap.
//
// # What is written
//
// A call is the byte E8 and four that the linker fills in. The byte becomes A9, which tests a
// register against these four. It has the same length, and changes nothing but flags, which no code
// reads after a call. So no other byte changes, no table of the function, and no relocation. A
// wrong proof could lose a race, but not break a program.
package elide

import (
	"fmt"
	"os"
	"path/filepath"
)

// Knows reports whether calls are left out on an architecture.
func Knows(goarch string) bool { return goarch == "amd64" }

// Counts tells what was left out of an object.
type Counts struct {
	Calls   int // of hooks
	Repeats int // those of them that are left out
}

// File leaves the repeats out of an object file, or an archive with one. The release that it was
// compiled by is below goroot. If there is an error, the file is still good. It takes time in
// proportion to the code: a function is gone through at most 13 times.
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
