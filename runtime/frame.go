// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
)

func place(b *buffer, fr host.Frame) {
	b.texts(base(fr.File), ":")
	b.int(int64(fr.Line))
}

func frameLine(b *buffer, fr host.Frame) {
	b.text("  ")
	function(b, fr.Func)
	b.texts("()\n      ", stripped(fr.File), ":")
	b.int(int64(fr.Line))
	b.text(" +")
	b.hex(uint64(fr.Offset))
	b.text("\n")
}

// frameOf is what the names of a type's methods in stack traces begin with, up to the end of the
// type's name. In the last element of an import path the linker writes dots as %2e.
func frameOf(t *commrace.Table, b *buffer) string {
	b.reset()
	i := len(t.Type)
	for i > 0 && t.Type[i-1] != '.' {
		i--
	}
	path := t.Type[:max(i-1, 0)]
	last := len(path)
	for last > 0 && path[last-1] != '/' {
		last--
	}
	b.text(path[:last])
	for k := last; k < len(path); k++ {
		if path[k] == '.' {
			b.text("%2e")
		} else {
			b.text(path[k : k+1])
		}
	}
	b.texts(".(*", t.Type[i:])
	return b.string()
}

// isMethod reports whether a function in a stack trace is a method of the type of that frame, which
// may be generic.
func isMethod(function, frame string) bool {
	if frame == "" || !hasPrefix(function, frame) {
		return false
	}
	rest := function[len(frame):]
	return rest == "" || rest[0] == ')' || rest[0] == '['
}

// printFrame writes one frame of it.
func printFrame(b *buffer, fr host.Frame) {
	b.text("  ")
	function(b, fr.Func)
	b.texts("()\n      ", stripped(fr.File), ":")
	b.int(int64(fr.Line))
	b.text("\n")
}

// function writes a function's name as it is in the source: an instrumented method is called
// commute_ and its name.
func function(b *buffer, name string) {
	const mark = ".commute_"
	for i := 0; i+len(mark) <= len(name); i++ {
		if name[i:i+len(mark)] == mark {
			b.texts(name[:i+1], name[i+len(mark):])
			return
		}
	}
	b.text(name)
}

func stripped(file string) string {
	if options.strip != "" && hasPrefix(file, options.strip) {
		return file[len(options.strip):]
	}
	return file
}

// ofLibrary reports whether a function is one that does for the program what that calls it for.
func ofLibrary(name string) bool {
	return hasPrefix(name, "sync.") || hasPrefix(name, "sync/") || hasPrefix(name, "internal/") || hasPrefix(name, "runtime.")
}

// lineOf writes where in the program a site is.
func lineOf(b *buffer, site uint32) {
	eachFrame(site, func(fr host.Frame) bool {
		if ofLibrary(fr.Func) {
			return true
		}
		place(b, fr)
		return false
	})
}

// eachFrame calls f for the frames of a site, innermost first, until f returns false.
func eachFrame(site uint32, f func(fr host.Frame) bool) {
	for site > datarace.CutOff {
		pc := datarace.PC(site)
		for i := 0; ; i++ {
			fr, ok := host.FrameAt(pc, i)
			if !ok {
				break
			}
			if fr.Func == "runtime.goexit" || fr.Func == "runtime.main" {
				return
			}
			if !hasPrefix(fr.File, "commute/") && !f(fr) {
				return
			}
		}
		site = datarace.Caller(site)
	}
}

// isCut reports whether a site has callers that are not kept.
func isCut(site uint32) bool {
	for site > datarace.CutOff {
		site = datarace.Caller(site)
	}
	return site == datarace.CutOff
}

// eachLine calls f for the places of a site's frames, innermost first, until f returns false. It allocates nothing.
func eachLine(site uint32, f func(file string, line int) bool) {
	for ; site > datarace.CutOff; site = datarace.Caller(site) {
		for i := 0; ; i++ {
			file, line, ok := host.LineAt(datarace.PC(site), i)
			if !ok {
				break
			}
			if !hasPrefix(file, "commute/") && !f(file, line) {
				return
			}
		}
	}
}
