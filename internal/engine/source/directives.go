// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// A registration is what a package says of its source when the program starts: lines of fields
// that are separated by tabs. It's only read when a race was found.
//
//	ignore      pkg file line reason [t]
//	concurrent  pkg declName file line reason [t]
//	site        pkg file line method kind declPkg declName declFile:line
//	checkact    pkg file line method actFile actLine actMethod: whether, or with what, the second call is made depends on the first's result
//	unused      pkg file line method: the result is not used of a call for which there is a site line
//	watched     pkg: its accesses to memory are watched
//
// The last field t says that the package is the one under test.
type registration struct {
	next *registration
	text string
	used []uint64 // bit i: directive i was used
}

var Registered struct {
	Lock  offheap.Lock
	first offheap.AtomicRef[registration] // who only looks has no lock
	N     atomic.Uint32
	index lineIndex
}

// Register takes the text of one package, which is not copied.
func Register(text string) {
	r := (*registration)(host.Alloc(unsafe.Sizeof(registration{})))
	r.text = text
	n := uintptr(0)
	r.directives(func(int, string, string) { n++ })
	n = (n + 63) / 64
	r.used = unsafe.Slice((*uint64)(host.Alloc(8*max(n, 1))), n)
	Registered.Lock.Lock()
	r.next = Registered.first.Load()
	Registered.first.Store(r)
	Registered.index.add(r)
	Registered.N.Add(1)
	Registered.Lock.Unlock()
}

// A Declaration is the variable or field that an object is, as far as a call's source tells.
type Declaration struct {
	Kind string // global, field, local, param, other, ambiguous; "" if nothing is known
	Key  string // package and name, as in concurrent lines
	Name string
	Pos  string // file:line
}

// Rank says how well a declaration identifies objects.
func (d *Declaration) Rank() int {
	switch d.Kind {
	case "global", "field":
		return 3
	case "ambiguous":
		return 3
	case "local":
		return 2
	case "param", "other":
		return 1
	}
	return 0
}

// Declare finds the declaration of the receiver of the call of a method at fr.
func Declare(fr host.Frame, method string) (d Declaration) {
	Sites("site", fr, method, func(f string) {
		var c Declaration
		c.Kind, f = text.Cut(f, '\t')
		c.Key = f // pkg, name and more; directed compares the first two fields
		_, f = text.Cut(f, '\t')
		c.Name, c.Pos = text.Cut(f, '\t')
		switch {
		case c.Rank() > d.Rank():
			d = c
		case c.Rank() < d.Rank() || c.Key == d.Key:
		case Directed("concurrent", host.Frame{}, &c): // rather miss the other's races than cry wolf
			d = c
		case d.Name == "" || !Directed("concurrent", host.Frame{}, &d):
			d.Kind, d.Name, d.Pos = "ambiguous", "", "" // two objects on one line
		}
	})
	return d
}

// isRegistered reports whether a package has registered anything.
func isRegistered(pkg string) bool {
	found := false
	Registered.index.find(lineKey{kind: registeredPackage, pkg: pkg}, func(l *line) {
		p, _ := text.Cut(l.fields(), '\t')
		found = found || samePackage(p, pkg)
	})
	return found || hasGlobals(pkg)
}

// Directed reports whether there is a directive of a kind for a line of the source, or for a
// declaration, and marks it as used.
func Directed(kind string, fr host.Frame, decl *Declaration) bool {
	return Direct(kind, fr, decl, true)
}

// Direct is directed; it marks nothing if mark is false.
func Direct(kind string, fr host.Frame, decl *Declaration, mark bool) bool {
	hit := false
	k := lineKey{kind: kind, pkg: PackageOf(fr.Func), file: text.Base(fr.File), line: fr.Line}
	if kind == "concurrent" {
		pkg, name := text.Cut(decl.Key, '\t')
		name, _ = text.Cut(name, '\t')
		k = lineKey{kind: kind, pkg: pkg, name: name}
	}
	Registered.index.find(k, func(l *line) {
		if applies(kind, l.fields(), fr, decl) {
			if hit = true; mark {
				l.of.P().used[l.directive/64] |= 1 << (l.directive % 64)
			}
		}
	})
	return hit
}

// directives calls f for the directives that a package has, which are numbered from 0, with their
// kind and the fields that follow.
func (r *registration) directives(f func(n int, kind, fields string)) {
	n := 0
	var line string
	for rest := r.text; rest != ""; {
		line, rest = text.Cut(rest, '\n')
		if kind, fields := text.Cut(line, '\t'); kind == "ignore" || kind == "concurrent" {
			f(n, kind, fields)
			n++
		}
	}
}

func applies(kind, f string, fr host.Frame, decl *Declaration) bool {
	pkg, f := text.Cut(f, '\t')
	name := ""
	if kind == "concurrent" {
		name, f = text.Cut(f, '\t')
	}
	file, f := text.Cut(f, '\t')
	ln, _ := text.Cut(f, '\t')
	if kind == "concurrent" {
		p, d := text.Cut(decl.Key, '\t')
		d, _ = text.Cut(d, '\t')
		if p != pkg || d != name {
			return false
		}
		// Two locals of one function may have one name.
		at := text.Base(decl.Pos)
		return decl.Kind != "local" || len(at) > len(file) && at[:len(file)] == file && at[len(file)+1:] == ln
	}
	n, _ := text.Number(ln)
	return n == fr.Line && file == text.Base(fr.File) && samePackage(pkg, PackageOf(fr.Func))
}

// Unused calls f for each directive of a package under test that did not apply to anything.
func Unused(f func(kind, file, line string)) {
	for r := Registered.first.Load(); r != nil; r = r.next {
		r.directives(func(n int, k, fields string) {
			if r.used[n/64]>>(n%64)&1 == 0 && len(fields) > 2 && fields[len(fields)-2:] == "\tt" {
				_, fields = text.Cut(fields, '\t')
				if k == "concurrent" {
					_, fields = text.Cut(fields, '\t')
				}
				file, fields := text.Cut(fields, '\t')
				ln, _ := text.Cut(fields, '\t')
				f(k, file, ln)
			}
		})
	}
}

// PackageOf is the package path of a function's name, escaped as the linker does.
func PackageOf(fn string) string {
	slash := 0
	for i := 0; i < len(fn) && fn[i] != '[' && fn[i] != '('; i++ {
		if fn[i] == '/' {
			slash = i
		}
	}
	for i := slash; i < len(fn); i++ {
		if fn[i] == '.' {
			return fn[:i]
		}
	}
	return fn
}

// samePackage compares a package path with one from a function's name, where dots of the last
// element and other characters are written %xx.
func samePackage(path, escaped string) bool {
	i := 0
	for j := 0; j < len(escaped); j++ {
		c := escaped[j]
		if c == '%' && j+2 < len(escaped) {
			c = text.Unhex(escaped[j+1])<<4 | text.Unhex(escaped[j+2])
			j += 2
		}
		if i >= len(path) || path[i] != c {
			return false
		}
		i++
	}
	return i == len(path)
}
