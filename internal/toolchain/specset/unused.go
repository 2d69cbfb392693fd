// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/suggest"
)

// Unused holds what the user gave with -spec against the import paths of a build. A specification
// whose package is not in it is an error in two cases. Its name is nearly that of a package in the
// build, or no package of its file is in the build. Otherwise there is a note, as a file may be
// about more packages than one build has.
func Unused(given []*ecl.Spec, paths []string) (errs, notes ecl.Errors) {
	used := make(map[string]bool) // the files, and the names of those that come with commute
	in := func(s *ecl.Spec) bool { return slices.Contains(paths, s.Path) }
	for _, s := range given {
		if in(s) {
			used[file(s)] = true
		}
	}
	said := make(map[string]bool)
	for _, s := range given {
		if in(s) || said[file(s)+" "+s.Path] {
			continue
		}
		said[file(s)+" "+s.Path] = true
		e := &ecl.Error{Pos: s.NamePos, Text: fmt.Sprintf("no package %s in this build", s.Path)}
		near := suggest.Typo(s.Path, paths)
		if near != "" {
			e.Hint = "did you mean " + near + "?"
		} else if same := lastElement(s.Path, paths); same != "" {
			e.Hint = "did you mean " + same + "?"
		}
		if near != "" || !used[file(s)] {
			errs = append(errs, e)
		} else {
			notes = append(notes, e)
		}
	}
	return errs, notes
}

// file is the file in which a specification was given.
func file(s *ecl.Spec) string {
	if isShipped(s) {
		return s.Path
	}
	return s.Pos.Filename
}

// lastElement is a path that ends as another one does, "" if there is none.
func lastElement(path string, paths []string) string {
	last := path[strings.LastIndexByte(path, '/')+1:]
	i := slices.IndexFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/"+last) })
	if i < 0 {
		return ""
	}
	return paths[i]
}
