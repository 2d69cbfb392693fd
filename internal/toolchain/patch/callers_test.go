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
)

// TestCallers runs a test of the template callers.go, whose functions belong to package runtime. It
// has its text compiled among the tests of package access, over a simulated stack; see
// testdata/callers.
func TestCallers(t *testing.T) {
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join("template", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	isFrame := regexp.MustCompile(`(?s)\nfunc commute_isFrame\(.*?\n}\n`).FindString(
		text("context.go"))
	if isFrame == "" {
		t.Fatal("context.go has no commute_isFrame")
	}
	callers := strings.NewReplacer("//go:build commute_patch && commute_memory\n", "",
		"package runtime\n", "package access\n", "\t\"internal/goarch\"\n", "",
		"goarch.PtrSize", "ptrSize").Replace(text("callers.go") + isFrame)
	dir := t.TempDir()
	file := filepath.Join(dir, "callers_test.go")
	if err := os.WriteFile(file, []byte(callers), 0o666); err != nil {
		t.Fatal(err)
	}
	access, err := filepath.Abs("../../engine/access")
	if err != nil {
		t.Fatal(err)
	}
	simulated, err := filepath.Abs("testdata/callers/simulated_test.go")
	if err != nil {
		t.Fatal(err)
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(access, "callers_test.go"):   file,
		filepath.Join(access, "simulated_test.go"): simulated,
	}})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, list, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-vet=off", "-v", "-overlay", overlay,
		"-run", "^TestCallersAgreeWithStack$", ".")
	cmd.Dir = access
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestCallersAgreeWithStack") {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
