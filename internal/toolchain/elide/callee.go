// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import "strings"

// A callee is a function of package runtime whose calls are known here.
type callee int

const (
	other callee = iota
	hookRead
	hookWrite
	hookReadRange
	hookWriteRange
	// The collector's write barrier changes nothing but register R11, by which it returns.
	writeBarrier
	// What makes a larger stack: the function begins again after it, with the same arguments.
	moreStack
	// A dictionary of generic code is no callee, but is known by its symbol as they are.
	dictionary
)

func (c callee) isHook() bool  { return hookRead <= c && c <= hookWriteRange }
func (c callee) isWrite() bool { return c == hookWrite || c == hookWriteRange }
func (c callee) isRange() bool { return c == hookReadRange || c == hookWriteRange }

const barrierName = "runtime.gcWriteBarrier"

// calleeOf is the callee of a name.
func calleeOf(name string) callee {
	switch name {
	case "runtime.raceread":
		return hookRead
	case "runtime.racewrite":
		return hookWrite
	case "runtime.racereadrange":
		return hookReadRange
	case "runtime.racewriterange":
		return hookWriteRange
	}
	if n, ok := strings.CutPrefix(name, barrierName); ok && (n == "" || n >= "1" && n <= "8") {
		return writeBarrier
	}
	if name == "runtime.morestack" || name == "runtime.morestack_noctxt" {
		return moreStack
	}
	return other
}

// builtinCallees reads the list in Go's own source file cmd/internal/goobj/builtinlist.go: a symbol
// has the number of its line in it. All hooks must be there.
func builtinCallees(list string) (map[symbol]callee, error) {
	callees := make(map[symbol]callee)
	n, hooks := uint32(0), 0
	for line := range strings.Lines(list) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), `{"`)
		if !ok {
			continue
		}
		name, rest, _ := strings.Cut(name, `"`)
		// Those of the assembler have another convention of calls.
		c := calleeOf(name)
		if c.isHook() && strings.TrimSpace(rest) == ", 1}," {
			hooks++
			callees[symbol{packageBuiltin, n}] = c
		} else if c == writeBarrier || c == moreStack {
			callees[symbol{packageBuiltin, n}] = c
		}
		n++
	}
	if hooks != 4 {
		return nil, errObject
	}
	return callees, nil
}

// addNamed adds what is no hook and an object refers to by its name.
func (o *object) addNamed(callees map[symbol]callee) error {
	symbols := o.data[o.block[blockNonPackage]:o.block[blockRefFlags]]
	if len(symbols)%symbolSize != 0 {
		return errObject
	}
	for i := 0; len(symbols) > 0; i, symbols = i+1, symbols[symbolSize:] {
		size, at := uint64(order.Uint32(symbols)), uint64(order.Uint32(symbols[4:]))
		if at+size > uint64(len(o.data)) {
			continue
		}
		name := string(o.data[at : at+size])
		if c := calleeOf(name); c == writeBarrier || c == moreStack {
			callees[symbol{packageNone, uint32(i)}] = c
		} else if strings.Contains(name, dictionaryMark) {
			callees[symbol{packageNone, uint32(i)}] = dictionary
		}
	}
	return nil
}
