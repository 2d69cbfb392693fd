// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package specs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/spectest"
	"github.com/commutego/commute/specs"
)

// exactChecks is the number of cases of each pair that are tried.
const exactChecks = 100

// notExact are lines of a specification that say of which pairs the formula is stricter than the
// calls are, and why: see doc.go. There are two methods, or sets of them.
var notExact = regexp.MustCompile(`^# Not exact, by (keys|shown|function|values|numbers): ` +
	`(\w+|\{[\w, ]+\}), (\w+|\{[\w, ]+\})$`)

// TestExact looks for calls that commute although the formula says that they don't. Where there are
// some, a line of the specification says why. No formula is refuted.
func TestExact(t *testing.T) {
	longtest.Need(t, "it builds a program for each package")
	var paths []string
	for _, s := range specs.All() {
		if !slices.Contains(paths, s.Path) {
			paths = append(paths, s.Path)
		}
	}
	if len(paths) < 10 {
		t.Fatalf("only %d packages have specifications", len(paths))
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			r, err := spectest.Run(spectest.Options{Dir: "../testdata/shipped", Package: path,
				Checks: exactChecks, Seed: 1, Timeout: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Types) == 0 {
				t.Fatal("nothing was tested")
			}
			for _, typ := range r.Types {
				said := exceptions(t, path, typ.Name)
				for _, p := range typ.Pairs {
					if p.Refuted != nil {
						t.Errorf("%s: %s, %s is refuted: %s", typ.Name, p.First, p.Second,
							p.Refuted.Says)
					}
					if p.Missed > 0 && !said.has(p.First, p.Second) {
						t.Errorf("%s: %s, %s: %d of %d calls commuted though the formula says "+
							"no, and no line says why", typ.Name, p.First, p.Second, p.Missed,
							p.Cases)
					}
				}
			}
		})
	}
}

// An excepted is the pairs of a line.
type excepted [2][]string

type exceptedPairs []excepted

// has reports whether a line is about a pair.
func (list exceptedPairs) has(a, b string) bool {
	return slices.ContainsFunc(list, func(e excepted) bool {
		return slices.Contains(e[0], a) && slices.Contains(e[1], b) ||
			slices.Contains(e[0], b) && slices.Contains(e[1], a)
	})
}

// exceptions reads the lines of a type's specification.
func exceptions(t *testing.T, path, name string) (list exceptedPairs) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(path), "*.ecl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no specification in %s: %v", path, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		current := ""
		// A line may go on in the next one.
		joined := strings.ReplaceAll(string(text), "\n#   ", " ")
		for line := range strings.SplitSeq(joined, "\n") {
			if typ, ok := strings.CutPrefix(strings.TrimSpace(line), "//ecl:type "); ok {
				current = typ
			}
			m := notExact.FindStringSubmatch(line)
			if m == nil && strings.HasPrefix(line, "# Not exact") {
				t.Errorf("%s: bad line: %s", file, line)
			}
			if m == nil || current != path+"."+name {
				continue
			}
			var e excepted
			for i, set := range m[2:] {
				e[i] = strings.Split(strings.Trim(set, "{}"), ", ")
			}
			list = append(list, e)
		}
	}
	return list
}
