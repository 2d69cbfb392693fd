// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/text"
)

// Place writes the file and line of a frame.
func Place(b *text.Buffer, fr host.Frame) {
	b.Texts(text.Base(fr.File), ":")
	b.Int(int64(fr.Line))
}

// SamePlace reports whether two frames are at one line.
func SamePlace(f, g host.Frame) bool { return f.File == g.File && f.Line == g.Line }

// Range writes the places of two frames, or the one place of both.
func Range(b *text.Buffer, from, to host.Frame) {
	Place(b, from)
	if !SamePlace(from, to) {
		b.Text(" to ")
		Place(b, to)
	}
}

// FrameLine writes a frame as the race detector does, with the offset of its return address.
func FrameLine(b *text.Buffer, fr host.Frame) {
	b.Text("  ")
	Function(b, fr.Func)
	b.Texts("()\n      ", Stripped(fr.File), ":")
	b.Int(int64(fr.Line))
	b.Text(" +")
	b.Hex(uint64(fr.Offset))
	b.Text("\n")
}

// FrameOf is what the names of a type's methods in stack traces begin with, up to the end of the
// type's name. In the last element of an import path the linker writes dots as %2e.
func FrameOf(t *commrace.Table, b *text.Buffer) string {
	b.Reset()
	i := len(t.Type)
	for i > 0 && t.Type[i-1] != '.' {
		i--
	}
	path := t.Type[:max(i-1, 0)]
	last := len(path)
	for last > 0 && path[last-1] != '/' {
		last--
	}
	b.Text(path[:last])
	for k := last; k < len(path); k++ {
		if path[k] == '.' {
			b.Text("%2e")
		} else {
			b.Text(path[k : k+1])
		}
	}
	b.Texts(".(*", t.Type[i:])
	return b.String()
}

// IsMethod reports whether a function in a stack trace is a method of the type of that prefix,
// which may be generic.
func IsMethod(function, frame string) bool {
	if frame == "" || !text.HasPrefix(function, frame) {
		return false
	}
	rest := function[len(frame):]
	return rest == "" || rest[0] == ')' || rest[0] == '['
}

// PrintFrame is FrameLine without the offset.
func PrintFrame(b *text.Buffer, fr host.Frame) {
	b.Text("  ")
	Function(b, fr.Func)
	b.Texts("()\n      ", Stripped(fr.File), ":")
	b.Int(int64(fr.Line))
	b.Text("\n")
}

// Function writes a function's name as it is in the source: an instrumented method is called
// commute_ and its name.
func Function(b *text.Buffer, name string) {
	const mark = ".commute_"
	for i := 0; i+len(mark) <= len(name); i++ {
		if name[i:i+len(mark)] == mark {
			b.Texts(name[:i+1], name[i+len(mark):])
			return
		}
	}
	b.Text(name)
}

// Stripped is the name of a file without the prefix of option strip_path_prefix.
func Stripped(file string) string {
	if option.Current.Strip != "" && text.HasPrefix(file, option.Current.Strip) {
		return file[len(option.Current.Strip):]
	}
	return file
}

// OfLibrary reports whether a function is part of the library that synchronizes for the program.
func OfLibrary(name string) bool {
	return text.HasPrefix(name, "sync.") || text.HasPrefix(name, "sync/") ||
		text.HasPrefix(name, "internal/") || text.HasPrefix(name, "runtime.")
}

// LineOf writes the innermost line of a site that is the program's.
func LineOf(b *text.Buffer, site uint32) {
	if fr := ProgramFrame(site); fr.Func != "" {
		Place(b, fr)
	}
}

// ProgramFrame is the innermost frame of a site that is the program's, not that of the library that
// synchronizes for it; the zero Frame if there is none. O(depth of the stack).
func ProgramFrame(site uint32) (found host.Frame) {
	EachFrame(site, func(fr host.Frame) bool {
		if OfLibrary(fr.Func) {
			return true
		}
		found = fr
		return false
	})
	return found
}

// EachFrame calls f for the frames of a site, innermost first, until f returns false.
func EachFrame(site uint32, f func(fr host.Frame) bool) {
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
			if !text.HasPrefix(fr.File, "commute/") && !f(fr) {
				return
			}
		}
		site = datarace.Caller(site)
	}
}

// IsCut reports whether a site has callers that are not kept.
func IsCut(site uint32) bool {
	for site > datarace.CutOff {
		site = datarace.Caller(site)
	}
	return site == datarace.CutOff
}
