// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package api

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outside is a program of another module. It declares variables of each type that it is given, so
// that it does not compile if it would have to name an internal one.
const outside = `package main

import (
	"bytes"
	"fmt"
	"log"

	"golang.org/x/tools/go/analysis"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/commutego/commute/commutetest"
	"github.com/commutego/commute/ecl"
	"github.com/commutego/commute/report"
	"github.com/commutego/commute/specs"
	"github.com/commutego/commute/trace"
)

type tb struct{}

func (tb) Helper()               {}
func (tb) Errorf(string, ...any) {}

func main() {
	var b bytes.Buffer
	var w *trace.Writer
	w, err := trace.NewWriter(&b, trace.Text)
	if err != nil {
		log.Fatal(err)
	}
	for _, thread := range []string{"T1", "T2"} {
		var e trace.Event = trace.Event{Op: trace.Write, Thread: thread, Target: "x", Pos: "x.go:1"}
		if err := w.Write(e); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	var r *trace.Reader
	if r, err = trace.NewReader(&b, "x"); err != nil {
		log.Fatal(err)
	}
	var f trace.Format = r.Format()
	var found *report.Trace
	if found, err = trace.Check(r, trace.Options{}); err != nil {
		log.Fatal(err)
	}
	var findings []*report.Finding = found.Findings()
	var side report.Event = findings[0].At
	var stack []report.Frame = side.Stack
	var kind report.Kind = findings[0].Kind
	fmt.Println(f, len(findings), kind, side, len(stack))

	var kinds = []commutetest.Kind{commutetest.DataRace}
	commutetest.Expect(tb{}, kinds[0], func() { fmt.Println(commutetest.Enabled()) })

	var list []*ecl.Spec = specs.For("sync")
	var table *ecl.Table
	if table, err = ecl.Compile(list[0]); err != nil {
		log.Fatal(err)
	}
	fmt.Println(list[0].TypeName(), len(table.Points) > 0)
	for _, a := range []*analysis.Analyzer{
		annotation.Analyzer, checkact.Analyzer, directive.Analyzer, transaction.Analyzer,
	} {
		fmt.Println(a.Name)
	}
}
`

const said = `text 1 data race T2: write x (event 2, at x.go:1) 0
false
sync.Map true
ecl
checkact
directive
atomic
`

// outsideModule is a module that requires this one, in the folder where it is.
func outsideModule(t *testing.T, source string) (dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	mod := fmt.Sprintf("module example.com/outside\n\ngo 1.26.0\n\nrequire %s v0.0.0\n\n"+
		"replace %[1]s => %[2]s\n", module, root)
	for name, text := range map[string]string{
		"go.mod": mod, "go.sum": string(sums), "main.go": source,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestOutside runs a program of another module that uses all public packages.
func TestOutside(t *testing.T) {
	cmd := exec.Command("go", "run", "-mod=mod", ".")
	cmd.Dir = outsideModule(t, outside)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != said {
		t.Errorf("%v\n%s\nwant\n%s", err, out, said)
	}
}

// TestNoDependencies wants a program that uses package commutetest to have nothing of commute in it
// but that, and nothing of commute's dependencies in go.mod: only the one line that requires it.
func TestNoDependencies(t *testing.T) {
	dir := outsideModule(t, "package main\n\nimport \""+module+"/commutetest\"\n\n"+
		"func main() { commutetest.Atomic(func() {}) }\n")
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("mod", "tidy")
	deps := run("list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".")
	if want := module + "/commutetest\nexample.com/outside\n"; deps != want {
		t.Errorf("the program has\n%swant\n%s", deps, want)
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(mod, []byte("indirect")) {
		t.Errorf("go.mod has\n%s", mod)
	}
	sum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err == nil && len(sum) > 0 {
		t.Errorf("go.sum has\n%s", sum)
	}
}
