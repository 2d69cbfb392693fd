// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/toolchain/load"
)

// source type-checks a package of one file.
func source(t testing.TB, text string) *load.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	info := load.NewInfo()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", nil)}
	pkg, err := conf.Check("example.com/p", fset, []*ast.File{file}, info)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return load.Checked(fset, []*ast.File{file}, pkg, info)
}

var shapes = map[compiled.Shape]string{
	compiled.LostUpdate: "lost update", compiled.DeletedAfter: "deleted after",
	compiled.Created: "created", compiled.Exceeded: "exceeded", compiled.FlagSet: "flag",
	compiled.TornPair: "torn", compiled.Computed: "computed",
	compiled.HalfSeen: "half seen", compiled.EntryGone: "entry gone",
	compiled.Registered: "registered",
}

var (
	checkMark = regexp.MustCompile(`// check (\w+)`)
	actMark   = regexp.MustCompile(`// act (\w+), ([a-z ]*[a-z])`)
)

// wanted are the pairs that the comments of a source tell: "// check c" where it checks, and
// "// act c, lost update" where it acts.
func wanted(text string) (list []string) {
	lines := strings.Split(text, "\n")
	checks := make(map[string]int)
	for i, line := range lines {
		if m := checkMark.FindStringSubmatch(line); m != nil {
			checks[m[1]] = i + 1
		}
	}
	for i, line := range lines {
		for _, m := range actMark.FindAllStringSubmatch(line, -1) {
			list = append(list, fmt.Sprintf("%d-%d %s", checks[m[1]], i+1, m[2]))
		}
	}
	slices.Sort(list)
	return list
}

// pairsOf are the pairs of a result, written as wanted writes them.
func pairsOf(pkg *load.Package, r *Result) (list []string) {
	line := func(pos token.Pos) int { return pkg.Fset.Position(pos).Line }
	for _, f := range r.Funcs {
		for _, p := range f.Pairs {
			list = append(list, fmt.Sprintf("%d-%d %s", line(r.Touches[p.Check].Pos),
				line(r.Touches[p.Act].Pos), shapes[p.Shape]))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const preamble = `package p

import (
	"sync"
	"sync/atomic"
	"time"
)

type T struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	m    map[string]int
	p    map[string]*T
	n    int
	s    []int
	flag bool
	k    string
	on   atomic.Bool
	busy atomic.Bool
	c    atomic.Int64
	cur  atomic.Pointer[T]
	raw  uint32
}

var (
	_ sync.Mutex
	_ atomic.Int32
	_ time.Time
)

func work() {}

`

// TestPairs compares the pairs of sources with what their comments tell.
func TestPairs(t *testing.T) {
	for _, sources := range []map[string]string{pairSources, delaySources, firstSources,
		claimSources} {
		for name, text := range sources {
			t.Run(name, func(t *testing.T) {
				text = preamble + text
				pkg := source(t, text)
				got, want := pairsOf(pkg, Find(pkg, nil)), wanted(text)
				if !slices.Equal(got, want) {
					t.Errorf("pairs %q, want %q\n%s", got, want, text)
				}
			})
		}
	}
}

// TestMemory compares the pairs of fields and variables with what a package's comments tell at the
// act: what is checked, and how many lines away.
func TestMemory(t *testing.T) {
	text, err := os.ReadFile("testdata/memory.go")
	if err != nil {
		t.Fatal(err)
	}
	pkg := source(t, string(text))
	r := Find(pkg, nil)
	checkResult(t, pkg, r)
	got := make(map[int][]string)
	for _, f := range r.Funcs {
		for _, p := range f.Pairs {
			check, act := r.Touches[p.Check], r.Touches[p.Act]
			line := func(pos, by token.Pos) int {
				if by.IsValid() {
					pos = by
				}
				return pkg.Fset.Position(pos).Line
			}
			at := line(act.Pos, p.ActBy)
			got[at] = append(got[at], fmt.Sprintf("%s %+d, %s", last(check.Name),
				line(check.Pos, p.CheckBy)-at, last(act.Name)))
		}
	}
	wants := regexp.MustCompile("[\"`]([^\"`]*)[\"`]")
	for i, line := range strings.Split(string(text), "\n") {
		var want []string
		if _, list, ok := strings.Cut(line, "// want"); ok {
			for _, m := range wants.FindAllStringSubmatch(list, -1) {
				want = append(want, strings.ReplaceAll(m[1], `\`, ""))
			}
		}
		slices.Sort(want)
		slices.Sort(got[i+1])
		if !slices.Equal(want, slices.Compact(got[i+1])) {
			t.Errorf("line %d: %q, want %q", i+1, got[i+1], want)
		}
	}
}

// last is the last part of a name.
func last(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }
