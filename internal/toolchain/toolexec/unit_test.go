// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/specset"
)

// importConfig is a file that says where the archives of package sync and of what it imports are.
func importConfig(t *testing.T) string {
	t.Helper()
	exports, err := exec.Command("go", "list", "-deps", "-export", "-f",
		"{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}", "sync").Output()
	if err != nil {
		t.Skip(err)
	}
	cfg := filepath.Join(t.TempDir(), "importcfg")
	if err := os.WriteFile(cfg, exports, 0o666); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// planned is what is made of a package of one file, and of what it is added to.
func planned(t *testing.T, text string) (file string, added map[string]string) {
	t.Helper()
	return plannedTo(t, text, os.Stderr)
}

// plannedTo is planned, and writes what the user is told.
func plannedTo(t *testing.T, text string, told io.Writer) (file string, added map[string]string) {
	t.Helper()
	for _, name := range []string{"TOOLEXEC_IMPORTPATH", RootVariable, specset.Variable} {
		t.Setenv(name, "")
	}
	t.Setenv(MemoryVariable, "1")
	name := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := command.ParseCompile([]string{"-o", filepath.Join(t.TempDir(), "a.a"),
		"-p", "example.com/a", "-lang=go1.26", "-importcfg", importConfig(t),
		"-" + command.Watch, name})
	if err != nil {
		t.Fatal(err)
	}
	d := &Driver{Config: Config{Specs: shippedOf}, Stderr: told}
	d.flags.Driven = true
	u := d.newUnit(c)
	change, err := u.plan(passes)
	if err != nil {
		t.Fatal(err)
	}
	data, err := edit.Apply([]byte(text), change.Edits[name])
	if err != nil {
		t.Fatal(err)
	}
	added = make(map[string]string)
	for _, a := range change.Added {
		added[a.Name] = string(a.Data)
	}
	if u.source.Work.Parsed != 1 || u.source.Work.Checked > 1 {
		t.Errorf("made %+v", u.source.Work)
	}
	return string(data), added
}

// TestPasses has one method that three passes change, each at offsets in what the user has written,
// and whose wrapper is made of that.
func TestPasses(t *testing.T) {
	file, added := planned(t, `package a

import "sync/atomic"

// A Box is specified.
//
//ecl:mutator Put(k)/v
//ecl:commute Put(k1), Put(k2): k1 != k2
type Box struct{ n int32 }

//atomic
func (b *Box) Put(k int) int32 { return atomic.AddInt32(&b.n, int32(k)) }
`)
	const method = "func (b *Box) commute_Put(k int) int32 { var commute_t0 commute_Transaction; " +
		"commute_atomicBegin(&commute_t0, &commute_a0); defer commute_atomicEnd(&commute_t0);" +
		"/*line :12:33*/ return atomic.CommuteAddInt32(&b.n, int32(k)) }\n"
	if !strings.Contains(file, method) {
		t.Errorf("no\n%sin\n%s", method, file)
	}
	for name, want := range map[string]string{
		"commute_specs.go":    "func (b *Box) Put(k int) (commute_r0 int32) {",
		"commute_atomic.go":   `"example.com/a.(*Box).Put"`,
		"commute_register.go": `commuteSource_Registration{path: "example.com/a", `,
	} {
		if !strings.Contains(added[name], want) {
			t.Errorf("%s lacks %s:\n%s", name, want, added[name])
		}
	}
	if len(added) != 3 {
		t.Errorf("%d files are added", len(added))
	}
}

// TestUnchanged has a package with nothing for commute in it, which is not parsed.
func TestUnchanged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.go")
	text := "package a\n\nfunc F() { unless true {} }\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, v := range []string{"TOOLEXEC_IMPORTPATH", RootVariable, specset.Variable,
		MemoryVariable} {
		t.Setenv(v, "")
	}
	c, err := command.ParseCompile([]string{"-o",
		filepath.Join(t.TempDir(), "a.a"), "-p", "a", name})
	if err != nil {
		t.Fatal(err)
	}
	u := (&Driver{Config: Config{Specs: shippedOf}, Stderr: os.Stderr}).newUnit(c)
	change, err := u.plan(passes)
	if err != nil || !change.Empty() || u.source.Work.Parsed > 0 || len(u.source.Errors()) > 0 {
		t.Errorf("%v, %+v, %+v", err, change, u.source.Work)
	}
}

// TestLoopsOfOthers has loops with touches. One in which another pass changes nothing is written
// twice; those whose rounds are transactions, or leave out a counter, aren't.
func TestLoopsOfOthers(t *testing.T) {
	file, _ := planned(t, `package a

import "sync"

type pool struct {
	sync.Mutex
	list  []int
	count int
}

func (p *pool) grow(limit int) {
	p.Lock()
	n := len(p.list)
	p.Unlock()
	if n < limit {
		p.Lock()
		p.list = append(p.list, n)
		p.Unlock()
	}
}

func (p *pool) scale(by int) {
	p.Lock()
	defer p.Unlock()
	for i := range p.list { // twice
		p.list[i] *= by
	}
	//atomic
	for i := range p.list { // transactions
		p.list[i]++
	}
	for i := range p.list { // a counter
		p.count++
		p.list[i]--
	}
}
`)
	has := func(comment string) bool {
		for line := range strings.Lines(file) {
			if strings.HasSuffix(line, comment+"\n") {
				return strings.Contains(line, "commute_untouched()")
			}
		}
		t.Fatalf("no line with %q in\n%s", comment, file)
		return false
	}
	if !has("// twice") || has("// transactions") || has("// a counter") {
		t.Errorf("%s", file)
	}
	for _, call := range []string{"commute_atomicBegin(", "commute_atomicLeaveOut(true)"} {
		if strings.Count(file, call) != 1 {
			t.Errorf("%d times %s in\n%s", strings.Count(file, call), call, file)
		}
	}
}
