// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package compiled

import (
	"sync/atomic"
	"unsafe"
)

// A Registration is what a package tells of its source when the program starts.
type Registration struct {
	Path       string // of the package
	Watched    bool   // its accesses to memory are watched
	Tested     bool   // it is under test: directives of it without effect are named at the end
	Directives []Directive
	Sites      []Site
	Acts       []CheckAct
	Globals    []Global
	Lines      LineTable // for packages whose accesses to memory are watched
}

// A DirectiveKind is what follows //commute: in a directive.
type DirectiveKind string

// The kinds of directives.
const (
	Ignore     DirectiveKind = "ignore"     // findings in which a call takes part
	Concurrent DirectiveKind = "concurrent" // a variable or field is meant to be raced on
)

// A Directive is a comment about a line of calls, or about a declaration.
type Directive struct {
	Kind DirectiveKind
	File string // its base name
	Line uint32 // that the comment speaks of
	Used atomic.Uint32
	Decl string // of Concurrent: the declaration's name in the package
}

// A DeclKind is what kind of declaration the object of a call has.
type DeclKind string

// The kinds of declarations.
const (
	GlobalVar   DeclKind = "global"
	StructField DeclKind = "field"
	LocalVar    DeclKind = "local"
	Param       DeclKind = "param"
	OtherDecl   DeclKind = "other" // none: what a function returns, say
)

// A Site is a call of a watched type's method, or one that takes a lock.
type Site struct {
	File   string // its base name
	Line   uint32
	Unused bool // the result is not used, which may matter
	Again  bool // the same is looked at again, before anything depends on what this call returned
	Fresh  bool // a lock is part of an object that only the function knows, which has made it
	Method string

	// The declaration of the variable or field that the method's object is.
	Decl DeclKind
	Home string // its package
	Name string // in that package
	Pos  string // file:line
}

// A CheckAct is two calls in one function. Whether the second is made, or with what, depends on the
// first one's result.
type CheckAct struct {
	Check, Act Call

	// Through: a call is that of a function of the package that calls the method, or another such
	// function.
	Through bool
}

// A Call is a place where a method is called.
type Call struct {
	File   string // its base name
	Line   uint32
	Method string
}

// A Global is a package-level variable that is or contains an object of a watched type.
type Global struct {
	Addr unsafe.Pointer
	Size uintptr
	Name string
	Pos  string // file:line
}

// A LineTable is what the lines of a package access.
type LineTable struct {
	Files    []string // their base names
	Names    []AccessName
	Accesses []LineAccess // by file and line
}

// An AccessName is what a variable or field is called in reports.
type AccessName struct {
	Name string
	Decl string // file:line
}

// A LineAccess is a variable or field that a line may access.
type LineAccess struct {
	Line uint32
	Name uint32 // the index in Names and 1; 0 for all that has no name
	File uint32 // the index in Files
	Kind AccessKind
}

// An AccessKind is how a line may access something: a set.
type AccessKind uint8

// The ways.
const (
	Reads      AccessKind = 1 << iota
	Writes                // what it writes before others can know of it, too
	Atomically            // by package sync/atomic
	InMap                 // what is in a map of that name, by an operation on the map
)
