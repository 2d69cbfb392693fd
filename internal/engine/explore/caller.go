// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// Who is at a return address.
const (
	Through = 1 + iota // code that announces operations for its caller
	Sync               // package sync does
	Library            // the standard library
	Program
)

var knownCallers offheap.Memo

// CallerAt is who is at a return address.
func CallerAt(pc uintptr) int {
	who, ok := knownCallers.Get(uint64(pc))
	if !ok {
		who = knownCallers.Put(uint64(pc), uint64(callerAt(pc)))
	}
	return int(who)
}

// callerAt goes by the functions there. Tests are programs, those of the standard library, too.
func callerAt(pc uintptr) int {
	who := Through
	for i := 0; ; i++ {
		name, file, line, ok := host.PlaceAt(pc, i)
		switch {
		case !ok:
			return who
		case isTest(file):
			return Program
		case text.HasPrefix(name, "sync.") || text.HasPrefix(name, "internal/sync."):
			who = Sync
		case through(name):
		case source.IsStd(host.Frame{Func: name, File: file, Line: line}):
			return Library
		default:
			return Program
		}
	}
}

// ProgramAt is where the program calls what is at a return address: the function, file and line of
// the innermost frame there that is neither package sync's nor code that announces operations.
func ProgramAt(pc uintptr) (fn, file string, line int) {
	for i := 0; ; i++ {
		name, f, l, ok := host.PlaceAt(pc, i)
		if !ok {
			return fn, file, line
		}
		fn, file, line = name, f, l
		if isTest(f) || !through(name) && !text.HasPrefix(name, "sync.") &&
			!text.HasPrefix(name, "internal/sync.") {
			return fn, file, line
		}
	}
}

// isTest reports whether a file has tests.
func isTest(file string) bool {
	const suffix = "_test.go"
	return len(file) > len(suffix) && file[len(file)-len(suffix):] == suffix
}

// through reports whether a function announces operations of its callers.
func through(name string) bool {
	for _, prefix := range [...]string{"runtime.", "internal/runtime/", "internal/race.",
		"sync/atomic."} {
		if text.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
