// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/internal/toolchain/command"
	"github.com/commutego/commute/internal/toolchain/load"
	"github.com/commutego/commute/internal/toolchain/specset"
	"github.com/commutego/commute/specs"
)

// A listed is a package as go list -export -json describes it.
type listed struct {
	Dir, ImportPath, ForTest, Export string
	Standard                         bool
	GoFiles                          []string
	ImportMap                        map[string]string
}

// watchedCompile is the command line of the compiler for a package of a module below testdata, or,
// without an import path, for the module's own with its tests. Accesses to memory are watched.
func watchedCompile(t testing.TB, module, path string) *command.Compile {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", module))
	if err != nil {
		t.Fatal(err)
	}
	pkg := path
	if path == "" {
		pkg = "github.com/commutego/commute/testdata/" + module
		path = pkg + " [" + pkg + ".test]"
	}
	cmd := exec.Command("go", "list", "-test", "-deps", "-export", "-json", pkg)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	var found *listed
	var cfg strings.Builder
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(listed)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.ImportPath == path {
			found = p
		}
		if p.ForTest == "" && p.Export != "" {
			fmt.Fprintf(&cfg, "packagefile %s=%s\n", p.ImportPath, p.Export)
		}
	}
	if found == nil {
		t.Fatalf("go list knows no %s", path)
	}
	for from, to := range found.ImportMap {
		fmt.Fprintf(&cfg, "importmap %s=%s\n", from, to)
	}
	work := t.TempDir()
	name := filepath.Join(work, "importcfg")
	if err := os.WriteFile(name, []byte(cfg.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-o", filepath.Join(work, "p.a"), "-p", pkg, "-lang=go1.26",
		"-goversion", "go1.26.8", "-importcfg", name, "-" + command.Watch}
	if found.Standard {
		args = append(args, "-std")
	}
	for _, name := range found.GoFiles {
		args = append(args, filepath.Join(found.Dir, name))
	}
	c, err := command.ParseCompile(args)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOOLEXEC_IMPORTPATH", path)
	t.Setenv(RootVariable, dir)
	t.Setenv(MemoryVariable, "1")
	t.Setenv(specset.Variable, "")
	return c
}

// shippedOf are the specifications that come with commute.
func shippedOf(path string) []*ecl.Spec {
	if path == "" {
		return specs.All()
	}
	return specs.For(path)
}

// compiles are packages that differ in what is to be done to them.
var compiles = []struct {
	name, dir string // of a module below testdata
	path      string // of a package, "" for the module's own with its tests
}{
	{"http", "verdicts", "net/http"},
	{"verdicts", "verdicts", ""},
	{"annotations", "annotations", ""},
	{"store", "annotations", "github.com/commutego/commute/testdata/annotations/store"},
	{"inferred", "inferred", ""},
	{"transactions", "transactions", ""},
}

// TestOnce has no file parsed twice, and no package type-checked twice or built to SSA twice,
// though each pass asks for what it needs.
func TestOnce(t *testing.T) {
	asked := load.Work{}
	for _, test := range compiles {
		t.Run(test.name, func(t *testing.T) {
			c := watchedCompile(t, test.dir, test.path)
			d := &Driver{Config: Config{Specs: shippedOf}, Stderr: os.Stderr}
			d.flags.Driven = true
			u := d.newUnit(c)
			change, err := u.plan(passes)
			if err != nil {
				t.Fatal(err)
			}
			work := u.source.Work
			if work.Parsed > len(c.Files) || work.Checked > 1 || work.Built > 1 {
				t.Errorf("%d files: %+v", len(c.Files), work)
			}
			if change.Empty() {
				t.Error("nothing is changed")
			}
			asked.Parsed += work.Parsed
			asked.Checked += work.Checked
			asked.Built += work.Built
		})
	}
	if asked.Parsed == 0 || asked.Checked < 4 || asked.Built < 4 {
		t.Errorf("all in all only %+v", asked)
	}
}

// BenchmarkPlan decides what to change in packages, which is all that commute does at a compile
// but to run the compiler.
func BenchmarkPlan(b *testing.B) {
	for _, test := range compiles {
		b.Run(test.name, func(b *testing.B) {
			c := watchedCompile(b, test.dir, test.path)
			d := &Driver{Config: Config{Specs: shippedOf}, Stderr: os.Stderr}
			d.flags.Driven = true
			var work load.Work
			for b.Loop() {
				u := d.newUnit(c)
				if _, err := u.plan(passes); err != nil {
					b.Fatal(err)
				}
				work = u.source.Work
			}
			b.ReportMetric(float64(work.Parsed)/float64(len(c.Files)), "parses/file")
			b.ReportMetric(float64(work.Checked), "checks")
			b.ReportMetric(float64(work.Built), "ssa")
		})
	}
}
