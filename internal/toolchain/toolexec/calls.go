// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/specs"
)

// calls are the calls of watched types' methods in a package, and its variables that hold objects
// of these types.
type calls struct {
	sites   []directive.Site
	globals []directive.GlobalVar
	locks   []directive.Site // calls that take locks, in the user's own packages
}

// lockTypes are the locks that reports of deadlocks name by what the source says.
var lockTypes = []directive.Type{
	{Package: "sync", Name: "Mutex", Methods: []string{"Lock", "TryLock"}},
	{Package: "sync", Name: "RWMutex", Methods: []string{"Lock", "TryLock", "RLock", "TryRLock"}},
}

// findCalls finds the calls. It returns nil if the package has nothing to register, so that most
// packages are not parsed. A package with type errors is left to the compiler.
func (u *unit) findCalls() (*calls, error) {
	out, err := u.outside()
	if err != nil {
		return nil, err
	}
	watched := u.watchedTypes(out)
	needed := directive.Needed(watched, u.texts()) || out.instrumented
	locks := !u.dependency() && directive.Needed(lockTypes, u.texts())
	own := locks || out.any() || u.source.Any(annotation.Mentioned)
	if !needed && !own && !u.Watch && !u.source.Any(directive.Mentioned) &&
		!u.source.Any(func(text string) bool { return strings.Contains(text, "\nvar") }) {
		return nil, nil
	}
	files, err := u.source.Syntax()
	if err != nil {
		return nil, nil // the compiler will say so
	}
	annotated, err := u.annotated()
	if err != nil {
		return nil, err
	}
	for _, s := range annotated {
		watched = append(watched, directive.TypeOf(s))
		needed = true
	}
	found := new(calls)
	if locks {
		found.locks = u.takenLocks(files)
	}
	if !needed && !directive.GlobalsNeeded(watched, files) {
		return found, nil
	}
	t, err := u.source.Types()
	if err != nil {
		return nil, err
	}
	finder := &directive.Finder{Types: watched, Info: t.Info, Pkg: t.Pkg}
	found.sites = finder.Sites(files)
	found.globals = finder.Globals(u.source.Fset, files)
	for _, s := range annotated {
		if s.Object {
			found.addObject(t.Pkg, s.Name)
		}
	}
	return found, nil
}

// takenLocks finds the calls that take locks. Reports do without what can't be found.
func (u *unit) takenLocks(files []*ast.File) []directive.Site {
	t, err := u.source.Types()
	if err != nil {
		return nil
	}
	finder := &directive.Finder{Types: lockTypes, Info: t.Info, Pkg: t.Pkg}
	return slices.DeleteFunc(finder.Sites(files), func(s directive.Site) bool {
		return s.Type.Pkg().Path() != "sync" || s.Object == nil
	})
}

// addObject adds a package-level variable that is the object of functions.
func (c *calls) addObject(pkg *types.Package, name string) {
	v, ok := pkg.Scope().Lookup(name).(*types.Var)
	has := func(g directive.GlobalVar) bool { return g.Name == name }
	if ok && !slices.ContainsFunc(c.globals, has) {
		c.globals = append(c.globals, directive.GlobalVar{Name: name, Pos: v.Pos()})
	}
}

// texts are the contents of the package's files.
func (u *unit) texts() (list []string) {
	for _, path := range u.Files {
		if src, err := u.source.Source(path); err == nil {
			list = append(list, string(src))
		}
	}
	return list
}

// watchedTypes lists the types whose calls are looked up, but for those that are specified in the
// package itself.
func (u *unit) watchedTypes(out *outside) (list []directive.Type) {
	for _, s := range u.driver.Specs("") {
		if !specs.OnRequest(s.Path) {
			list = append(list, directive.TypeOf(s))
		}
	}
	for _, s := range out.Given {
		list = append(list, directive.TypeOf(s))
	}
	if !u.dependency() {
		for _, s := range out.Requested {
			t := directive.TypeOf(s)
			t.Twin = true
			list = append(list, t)
		}
	}
	for _, a := range out.abstract {
		list = append(list, directive.TypeOf(a.spec))
	}
	return list
}

// findPairs finds pairs of calls, a check and an act, in the package, if it is one of the user's
// own. A package with type errors has none.
func (u *unit) findPairs() (*checkact.Result, error) {
	calls, err := u.calls()
	if err != nil || calls == nil || u.dependency() {
		return new(checkact.Result), err
	}
	lookup, err := u.lookup()
	if err != nil {
		return nil, err
	}
	specified := checkact.CallsOf(u.source.Fset, calls.sites, lookup)
	return checkact.Find(u.source, specified), nil
}

// lookup returns a function that finds the specification of a type: the first one in the list
// counts.
func (u *unit) lookup() (func(path, name string) *ecl.Spec, error) {
	out, err := u.outside()
	if err != nil {
		return nil, err
	}
	annotated, err := u.annotated()
	if err != nil {
		return nil, err
	}
	list := slices.Concat(out.known, out.Given)
	for _, a := range out.abstract {
		list = append(list, a.spec)
	}
	list = slices.Concat(list, annotated, u.driver.Specs(""))
	return func(path, name string) *ecl.Spec {
		for _, s := range list {
			if s.Path == path && s.Name == name {
				return s
			}
		}
		return nil
	}, nil
}
