// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotation

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"

	"github.com/commutego/commute/ecl"
)

// Folder reads the specifications of the types of package path from the .ecl files in its folder.
// If there are errors in them, the error is an [ecl.Errors], and the result is for [Blame] only.
func Folder(dir, path string) ([]*ecl.Spec, error) {
	files, err := filepath.Glob(filepath.Join(Escape(dir), "*.ecl"))
	if err != nil || len(files) == 0 {
		return nil, err
	}
	var list []*ecl.Spec
	var errs ecl.Errors
	for _, file := range files {
		specs, err := Read(file)
		if wrong, ok := err.(ecl.Errors); ok {
			errs = append(errs, wrong...)
		} else if err != nil {
			return nil, err
		}
		for _, s := range specs {
			if s.Path != "" && s.Path != path {
				continue // of another package's type: the file is for -spec as well
			}
			if s.Module != nil {
				errs = append(errs, &ecl.Error{
					Pos: s.Module.Pos,
					Text: "the package's own specification is for the version that it " +
						"stands in",
					Hint: "leave //ecl:module out",
				})
			}
			s.Path = path
			list = append(list, s)
		}
	}
	if len(errs) > 0 {
		return list, errs
	}
	return list, nil
}

// Blame returns the errors of specifications of a package, whose files are given, with their
// causes. If a method isn't declared, its pairs have no formula. Then the method is reported, and
// not its pairs.
func Blame(files []*ast.File, specs []*ecl.Spec, errs ecl.Errors) ecl.Errors {
	f := &finder{declarations: declarationsOf(files)}
	for _, s := range specs {
		if f.types[s.Name] != nil || s.Object {
			errs = f.rootCauses(s, errs)
		}
	}
	return errs
}

// Escape returns a pattern that matches only the folder of a name.
func Escape(dir string) string {
	if filepath.Separator == '\\' {
		return dir // there is no escaping, and [ is rare
	}
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(dir)
}

// Read reads a file of specifications.
func Read(file string) ([]*ecl.Spec, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	list, err := ecl.Parse(file, 1, 1, string(text))
	if err != nil {
		return list, err
	}
	var wrong ecl.Errors
	for _, s := range list {
		if s.Name == "" {
			wrong = append(wrong, &ecl.Error{
				Pos:  s.Pos,
				Text: "it is not said whose methods these are",
				Hint: "begin with //ecl:type and a type's name",
			})
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return list, nil
}
