// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
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

var registered struct {
	lock  offheap.Lock
	first offheap.AtomicRef[registration] // who only looks has no lock
	n     atomic.Uint32
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
	registered.lock.Lock()
	r.next = registered.first.Load()
	registered.first.Store(r)
	registered.index.add(r)
	registered.n.Add(1)
	registered.lock.Unlock()
}

// A declaration is the variable or field that an object is, as far as a call's source tells.
type declaration struct {
	kind string // global, field, local, param, other, ambiguous; "" if nothing is known
	key  string // package and name, as in concurrent lines
	name string
	pos  string // file:line
}

// rank says how well a declaration identifies objects.
func (d *declaration) rank() int {
	switch d.kind {
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

// declare finds the declaration of the receiver of the call of a method at fr.
func declare(fr host.Frame, method string) (d declaration) {
	sites("site", fr, method, func(f string) {
		var c declaration
		c.kind, f = cut(f, '\t')
		c.key = f // pkg, name and more; directed compares the first two fields
		_, f = cut(f, '\t')
		c.name, c.pos = cut(f, '\t')
		switch {
		case c.rank() > d.rank():
			d = c
		case c.rank() < d.rank() || c.key == d.key:
		case directed("concurrent", host.Frame{}, &c): // rather miss the other's races than cry wolf
			d = c
		case d.name == "" || !directed("concurrent", host.Frame{}, &d):
			d.kind, d.name, d.pos = "ambiguous", "", "" // two objects on one line
		}
	})
	return d
}

// isRegistered reports whether a package has registered anything.
func isRegistered(pkg string) bool {
	found := false
	registered.index.find(lineKey{kind: registeredPackage, pkg: pkg}, func(l *line) {
		p, _ := cut(l.fields(), '\t')
		found = found || samePackage(p, pkg)
	})
	return found || hasGlobals(pkg)
}

// directed reports whether there is a directive of a kind for a line of the source, or for a
// declaration, and marks it as used.
func directed(kind string, fr host.Frame, decl *declaration) bool {
	return direct(kind, fr, decl, true)
}

// direct is directed; it marks nothing if mark is false.
func direct(kind string, fr host.Frame, decl *declaration, mark bool) bool {
	hit := false
	k := lineKey{kind: kind, pkg: packageOf(fr.Func), file: base(fr.File), line: fr.Line}
	if kind == "concurrent" {
		pkg, name := cut(decl.key, '\t')
		name, _ = cut(name, '\t')
		k = lineKey{kind: kind, pkg: pkg, name: name}
	}
	registered.index.find(k, func(l *line) {
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
		line, rest = cut(rest, '\n')
		if kind, fields := cut(line, '\t'); kind == "ignore" || kind == "concurrent" {
			f(n, kind, fields)
			n++
		}
	}
}

func applies(kind, f string, fr host.Frame, decl *declaration) bool {
	pkg, f := cut(f, '\t')
	name := ""
	if kind == "concurrent" {
		name, f = cut(f, '\t')
	}
	file, f := cut(f, '\t')
	ln, _ := cut(f, '\t')
	if kind == "concurrent" {
		p, d := cut(decl.key, '\t')
		d, _ = cut(d, '\t')
		if p != pkg || d != name {
			return false
		}
		// Two locals of one function may have one name.
		at := base(decl.pos)
		return decl.kind != "local" || len(at) > len(file) && at[:len(file)] == file && at[len(file)+1:] == ln
	}
	n, _ := number(ln)
	return n == fr.Line && file == base(fr.File) && samePackage(pkg, packageOf(fr.Func))
}

// unused calls f for each directive of a package under test that did not apply to anything.
func unused(f func(kind, file, line string)) {
	for r := registered.first.Load(); r != nil; r = r.next {
		r.directives(func(n int, k, fields string) {
			if r.used[n/64]>>(n%64)&1 == 0 && len(fields) > 2 && fields[len(fields)-2:] == "\tt" {
				_, fields = cut(fields, '\t')
				if k == "concurrent" {
					_, fields = cut(fields, '\t')
				}
				file, fields := cut(fields, '\t')
				ln, _ := cut(fields, '\t')
				f(k, file, ln)
			}
		})
	}
}

// packageOf is the package path of a function's name, escaped as the linker does.
func packageOf(fn string) string {
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
			c = unhex(escaped[j+1])<<4 | unhex(escaped[j+2])
			j += 2
		}
		if i >= len(path) || path[i] != c {
			return false
		}
		i++
	}
	return i == len(path)
}
