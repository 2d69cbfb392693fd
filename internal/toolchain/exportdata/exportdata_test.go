// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package exportdata

import (
	"errors"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// archives finds those of the release that GOTOOLCHAIN or PATH chooses.
func archives(t *testing.T) func(path string) (string, bool) {
	t.Helper()
	return func(path string) (string, bool) {
		cmd := exec.Command("go", "list", "-export", "-f", "{{.Export}}", path)
		out, err := cmd.Output()
		if err != nil {
			t.Log(err)
		}
		return strings.TrimSpace(string(out)), err == nil
	}
}

func TestImporter(t *testing.T) {
	imp := Importer(token.NewFileSet(), map[string]string{"vendored": "sync"}, archives(t))
	sync, err := imp.Import("sync")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := imp.Import("vendored"); again != sync || err != nil {
		t.Errorf("the same package again is %v, %v", again, err)
	}
	m := types.NewPointer(sync.Scope().Lookup("Map").Type())
	if obj, _, _ := types.LookupFieldOrMethod(m, false, sync, "Load"); obj == nil {
		t.Error("sync.Map has no method Load")
	}
	if p, err := imp.Import("unsafe"); p != types.Unsafe || err != nil {
		t.Errorf("unsafe is %v, %v", p, err)
	}
	if _, err := imp.Import("no/such"); err == nil ||
		err.Error() != "no archive of package no/such" {
		t.Errorf("error %v", err)
	}
	name := t.TempDir() + "/text"
	if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	imp = Importer(token.NewFileSet(), nil, func(string) (string, bool) { return name, true })
	if _, err := imp.Import("a"); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v", err)
	}
}

func TestLanguage(t *testing.T) {
	mine := own()
	if !strings.HasPrefix(mine, "go1.") || !strings.HasPrefix(release(), mine) {
		t.Fatalf("%q is built with %q", runtime.Version(), mine)
	}
	for lang, want := range map[string]string{
		"go1.21": "go1.21", mine: mine, mine + ".3": mine + ".3", "go1.999": mine, "": "",
	} {
		if got := Language(lang); got != want {
			t.Errorf("Language(%q) = %q, want %q", lang, got, want)
		}
		if got := Newer(lang); got != (lang == "go1.999") {
			t.Errorf("Newer(%q) = %v", lang, got)
		}
	}
	cause := errors.New("a.go:1:2: no Go")
	err := Unreadable("go1.999.1", cause)
	want := "the code is for go1.999.1, and this commute was built with " + runtime.Version() +
		": a.go:1:2: no Go; in commute's source, run GOTOOLCHAIN=go1.999.1 go install ./cmd/commute"
	if err.Error() != want || !errors.Is(err, cause) {
		t.Errorf("%v, want %s", err, want)
	}
}
