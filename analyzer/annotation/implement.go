// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import "go/types"

// Implementing lists the types of pkg that implement the interface called name of the package at
// path, which is pkg or one that it imports, sorted.
func Implementing(pkg *types.Package, path, name string) (list []string) {
	from := pkg
	for _, p := range pkg.Imports() {
		if p.Path() == path {
			from = p
		}
	}
	if from == pkg && path != pkg.Path() {
		return nil
	}
	obj, ok := from.Scope().Lookup(name).(*types.TypeName)
	if !ok || !types.IsInterface(obj.Type()) {
		return nil
	}
	for _, name := range pkg.Scope().Names() {
		t, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() || types.IsInterface(t.Type()) {
			continue
		}
		if implements(t.Type(), obj.Type()) {
			list = append(list, name)
		}
	}
	return list
}

// implements reports whether pointers to values of type t implement an interface. Where both have
// type parameters, they are taken for the same.
func implements(t, iface types.Type) bool {
	named, ok := t.(*types.Named)
	if !ok {
		return false
	}
	if i, ok := iface.(*types.Named); ok && i.TypeParams().Len() > 0 {
		if i.TypeParams().Len() != named.TypeParams().Len() {
			return false
		}
		var args []types.Type
		for p := range named.TypeParams().TypeParams() {
			args = append(args, p)
		}
		inst, err := types.Instantiate(nil, i, args, false)
		if err != nil {
			return false
		}
		// Each method of a declared generic type has type parameters of its own; the methods of an
		// instance have those that it was made with. So t is instantiated, too.
		own, err := types.Instantiate(nil, named, args, false)
		if err != nil {
			return false
		}
		t, iface = own, inst
	}
	u, ok := iface.Underlying().(*types.Interface)
	return ok && u.NumMethods() > 0 && types.Implements(types.NewPointer(t), u)
}
