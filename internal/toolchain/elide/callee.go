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
		} else if c == writeBarrier {
			callees[symbol{packageBuiltin, n}] = c
		}
		n++
	}
	if hooks != 4 {
		return nil, errObject
	}
	return callees, nil
}

// addBarriers adds the write barriers that an object refers to by their names.
func (o *object) addBarriers(callees map[symbol]callee) error {
	symbols := o.data[o.block[blockNonPackage]:o.block[blockRefFlags]]
	if len(symbols)%symbolSize != 0 {
		return errObject
	}
	for i := 0; len(symbols) > 0; i, symbols = i+1, symbols[symbolSize:] {
		size, at := uint64(order.Uint32(symbols)), uint64(order.Uint32(symbols[4:]))
		if size < uint64(len(barrierName)) || size > uint64(len(barrierName))+1 ||
			at+size > uint64(len(o.data)) {
			continue
		}
		if calleeOf(string(o.data[at:at+size])) == writeBarrier {
			callees[symbol{packageNone, uint32(i)}] = writeBarrier
		}
	}
	return nil
}
