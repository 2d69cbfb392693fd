// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/commutego/commute/internal/engine/access" // a change of it has the test run anew
)

// TestCallers runs a test of the template callers.go, whose functions belong to package runtime. It
// has its text compiled among the tests of package access, over a simulated stack; see
// testdata/callers.
func TestCallers(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	isFrame := regexp.MustCompile(`(?s)\nfunc commute_isFrame\(.*?\n}\n`).FindString(
		text("template/context.go"))
	if isFrame == "" {
		t.Fatal("context.go has no commute_isFrame")
	}
	callers := strings.NewReplacer("//go:build commute_patch && commute_memory\n", "",
		"package runtime\n", "package access\n", "\t\"internal/goarch\"\n", "",
		"goarch.PtrSize", "ptrSize").Replace(text("template/callers.go") + isFrame)
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	access, err := filepath.Abs("../../engine/access")
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(access, "callers_test.go"): write("callers_test.go", callers),
		filepath.Join(access, "simulated_test.go"): write("simulated_test.go",
			text("testdata/callers/simulated_test.go")),
	}})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-vet=off", "-v", "-overlay",
		write("overlay.json", string(list)),
		"-run", "^TestCallers(AgreeWithStack|BehindPanic|WithOldEntry)$", ".")
	cmd.Dir = access
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCallersAgreeWithStack") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
