// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/analyzer/section"
)

// writePackage makes a package of one file.
func writePackage(t *testing.T, path, text string) *Package {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return read(path, name)
}

const twice = `package p

import "sync"

type T struct {
	mu sync.Mutex
	n  int
}

func (t *T) Get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *T) Set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n
}
`

// TestImported has a package hand on its facts and register nothing, and another one have pairs of
// its touches only.
func TestImported(t *testing.T) {
	p := writePackage(t, "example.com/a.v1", twice)
	r := section.Find(p.Source, func(string) []byte { return nil })
	out, err := Generate(p, r)
	if err != nil || out == nil || len(r.Facts) == 0 {
		t.Fatalf("%v, %d bytes of facts", err, len(r.Facts))
	}
	text := string(out.Added)
	for _, want := range []string{
		"func commute_touchesHere() *[2]commute_Touch { return &commute_touches }",
		`"commute:sections\x01" + "` + string(r.Facts) + `" + "\x02commute"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "func init()") {
		t.Error("it registers functions, though it has none with pairs")
	}

	r.Touches = append(r.Touches, section.Touch{Remote: &section.Remote{Package: "example.com/b.v2",
		Index: 5, Count: 9}})
	files, err := p.Source.Syntax()
	if err != nil {
		t.Fatal(err)
	}
	r.Facts = nil
	r.Funcs = []section.Func{{Node: files[0].Decls[3],
		Pairs: []section.Pair{{Check: 0, Act: 2}, {Check: 2, Act: 1}}}}
	if out, err = Generate(p, r); err != nil || out == nil {
		t.Fatal(err)
	}
	text = string(out.Added)
	for _, want := range []string{
		"//go:linkname commute_imported0 example.com/b%2ev2.commute_touchesHere\n" +
			"func commute_imported0() *[9]commute_Touch\n",
		"{check: &commute_touches[0], act: &commute_imported0()[5]}",
		"{check: &commute_imported0()[5], act: &commute_touches[1]}",
		"imported: [][]commute_Touch{commute_imported0()[:]}",
		"func init() { commute_sectionRegister(&commute_sections) }",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "commute_touchesHere() *[3]") {
		t.Error("it hands on touches without facts")
	}
}

// TestEscaped has import paths as the linker's symbols have them.
func TestEscaped(t *testing.T) {
	for path, want := range map[string]string{
		"store": "store", "example.com/m/store": "example.com/m/store",
		"gopkg.in/yaml.v3": "gopkg.in/yaml%2ev3", "example.com": "example%2ecom",
		`a%b/"c"`: "a%25b/%22c%22", "a/é": "a/%c3%a9",
	} {
		if got := escaped(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// TestElseIf has a call in the condition of an else if, which comes too late to change what the if
// has read.
func TestElseIf(t *testing.T) {
	const text = `package p

import "sync"

type T struct {
	mu sync.Mutex
	n  int
	up *T
}

func (t *T) F() {
	t.mu.Lock()
	if t.up.n > 3 {
		println()
	} else if odd() == 1 {
		t.n = 2
	}
	t.mu.Unlock()
	t.mu.Lock()
	if %s {
		t.n = 4
	}
	t.mu.Unlock()
}

func odd() int { return 1 }
`
	for condition, leftOut := range map[string]bool{"true": false, "t.up.n > odd()": true,
		"t.n > odd()": false} {
		p := writePackage(t, "p", strings.Replace(text, "%s", condition, 1))
		_, out := generated(t, p)
		if got := len(out.LeftOut) > 0; got != leftOut {
			t.Errorf("%s: left out %+v, want some: %v", condition, out.LeftOut, leftOut)
		}
	}
}
