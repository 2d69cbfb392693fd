// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strconv"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
)

// An abstract is the specification of an interface of an imported package.
type abstract struct {
	path string
	spec *ecl.Spec
}

// The archive of a package with specified types has their texts, between such marks: so they reach the packages that import
// it. Those of interfaces are for the packages that implement them.
const (
	specBegin = "commute:interface\x01"
	typeBegin = "commute:type\x01"
	specEnd   = "\x02commute"
)

// handOn declares the texts of specifications.
func handOn(specs []*ecl.Spec) []byte {
	var b bytes.Buffer
	for _, s := range specs {
		begin, name := typeBegin, "commuteType_"
		if s.Abstract {
			begin, name = specBegin, "commuteInterface_"
		}
		b.WriteString("\nvar " + name + s.Name + " = " + strconv.Quote(begin+s.Pack()+specEnd) + "\n")
	}
	return b.Bytes()
}

// handed reads what handOn has put into an archive of package path behind one of the marks.
func handed(path string, archive []byte, begin string) (list []abstract) {
	for {
		i := bytes.Index(archive, []byte(begin))
		if i < 0 {
			return list
		}
		archive = archive[i+len(begin):]
		text, _, ok := bytes.Cut(archive, []byte(specEnd))
		if !ok {
			return list
		}
		if s, err := ecl.Unpack(path, string(text)); err == nil && !slices.ContainsFunc(list, func(a abstract) bool { return a.spec.Name == s.Name }) {
			list = append(list, abstract{path, s})
		}
	}
}

// loadAbstract reads the specifications of the types that the package imports. Only the user's
// own packages are looked at: there are many others.
func (u *unit) loadAbstract() error {
	if u.Std || u.dependency() {
		return nil
	}
	return u.eachImport(func(path, file string) {
		archive, err := os.ReadFile(file)
		if err != nil {
			return
		}
		u.instrumented = u.instrumented || bytes.Contains(archive, []byte("commuteSpec_"))
		u.abstract = append(u.abstract, handed(path, archive, specBegin)...)
		for _, a := range handed(path, archive, typeBegin) {
			u.known = append(u.known, a.spec)
		}
	})
}

// implementing specifies the types that implement a specified interface, and that have no specification
// of their own. Those whose methods cannot be watched are left out.
func (u *unit) implementing(fset *token.FileSet, files []*ast.File, specs []*ecl.Spec) (list []*ecl.Spec, err error) {
	ifaces := slices.Clone(u.abstract)
	for _, s := range specs {
		if s.Abstract {
			ifaces = append(ifaces, abstract{u.Package, s})
		}
	}
	if len(ifaces) == 0 {
		return nil, nil
	}
	pkg, err := u.typeCheck(fset, files, nil)
	if pkg == nil || err != nil {
		return nil, err
	}
	for _, a := range ifaces {
		for _, name := range annotation.Implementing(pkg, a.path, a.spec.Name) {
			if slices.ContainsFunc(append(specs, list...), func(have *ecl.Spec) bool { return have.Name == name }) {
				continue
			}
			s, err := a.spec.Again(u.Package, name)
			if err != nil {
				return nil, err
			}
			held, _ := annotation.Hold(files, []*ecl.Spec{s})
			list = append(list, held...)
		}
	}
	return list, nil
}
