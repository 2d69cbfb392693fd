// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"bytes"
	"cmp"
	"go/ast"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
)

// An abstract is the specification of an interface of an imported package.
type abstract struct {
	path string
	spec *ecl.Spec
}

// The archive of a package with specified types has their texts, between such marks: so they reach
// the packages that import it. Those of interfaces are for the packages that implement them.
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
		b.WriteString("\nvar " + name + s.Name + " = " + strconv.Quote(begin+s.Pack()+specEnd) +
			"\n")
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
		if s, err := ecl.Unpack(path, string(text)); err == nil &&
			!slices.ContainsFunc(list, func(a abstract) bool { return a.spec.Name == s.Name }) {
			list = append(list, abstract{path, s})
		}
	}
}

// imported is what packages that the package imports hand on to it.
type imported struct {
	abstract     []abstract  // interfaces
	known        []*ecl.Spec // types, whose calls may be checks and acts
	instrumented bool        // they have instrumented types
}

// readImports reads the specifications of the types that the package imports. Only the user's
// own packages are looked at: there are many others.
func (u *unit) readImports() (*imported, error) {
	all := new(imported)
	if u.Std || u.dependency() {
		return all, nil
	}
	return all, u.eachImport(func(path, file string) {
		archive, err := os.ReadFile(file)
		if err != nil {
			return
		}
		all.instrumented = all.instrumented || bytes.Contains(archive, []byte("commuteSpec_"))
		for _, a := range handed(path, archive, specBegin) {
			a.spec.Path = path
			all.abstract = append(all.abstract, a)
		}
		for _, a := range handed(path, archive, typeBegin) {
			all.known = append(all.known, a.spec)
		}
	})
}

// eachImport calls f with the packages that the package imports, and their archives.
func (u *unit) eachImport(f func(path, file string)) error {
	cfg, err := u.config()
	if err != nil {
		return err
	}
	for _, path := range u.importPaths() {
		if mapped, ok := cfg.ImportMap[path]; ok {
			path = mapped
		}
		if file, ok := cfg.PackageFile[path]; ok {
			f(path, file)
		}
	}
	return nil
}

// importPath is the path of the package, or of the one that it tests. The compiler calls a program
// main.
func (u *unit) importPath() string {
	path, test, ok := strings.Cut(os.Getenv("TOOLEXEC_IMPORTPATH"), " [")
	if ok {
		path, _ = strings.CutSuffix(test, ".test]")
	}
	return cmp.Or(path, u.Package)
}

// importPaths lists what the package's files import, but for what can only be the standard
// library's.
func (u *unit) importPaths() (paths []string) {
	own, _, _ := strings.Cut(u.importPath(), "/")
	for _, spec := range u.source.Imports() {
		path, err := strconv.Unquote(spec.Path.Value)
		first, _, _ := strings.Cut(path, "/")
		if err == nil && (first == own || strings.Contains(first, ".")) &&
			!slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// implementing specifies the types that implement a specified interface, and that have no
// specification of their own. Those whose methods cannot be watched are left out.
func (u *unit) implementing(files []*ast.File, specs []*ecl.Spec) (list []*ecl.Spec, err error) {
	out, err := u.outside()
	if err != nil {
		return nil, err
	}
	ifaces := slices.Clone(out.abstract)
	for _, s := range specs {
		if s.Abstract {
			ifaces = append(ifaces, abstract{u.Package, s})
		}
	}
	if len(ifaces) == 0 {
		return nil, nil
	}
	types, err := u.source.Types()
	if err != nil {
		return nil, err
	}
	for _, a := range ifaces {
		for _, name := range annotation.Implementing(types.Pkg, a.path, a.spec.Name) {
			if named(append(specs, list...), name) {
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

// named reports whether one of the specifications is that of a type.
func named(specs []*ecl.Spec, name string) bool {
	return slices.ContainsFunc(specs, func(s *ecl.Spec) bool { return s.Name == name })
}
