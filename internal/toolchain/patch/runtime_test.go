// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
)

func TestRuntime(t *testing.T) {
	const original = "package runtime\nimport \"unsafe\"\nconst raceenabled = false\n" +
		"func raceinit() (uintptr, uintptr) { throw(\"race\"); return 0, 0 }\n" +
		"func racefree(p unsafe.Pointer, sz uintptr) { throw(\"race\") }\n"
	const head = "//go:build commute_patch\n\npackage runtime\nimport \"unsafe\"\nconst " +
		"raceenabled = true\n"
	const initF = "func raceinit() (a, b uintptr) { return }\n"
	const freeF = "func racefree(_ unsafe.Pointer, n uintptr) {}\n"
	tests := []struct {
		name      string
		original  string
		templates map[string]string
		want      string // "" means no error
	}{
		{"same", original, map[string]string{"race0.go": head + initF + freeF}, ""},
		{"for another system", original, map[string]string{"race0.go": head + initF + freeF,
			"x_plan9.go": "//go:build ignore\npackage runtime\n"}, ""},
		{"in two files", original, map[string]string{"race0.go": head + initF,
			"other.go": "package runtime\n" + freeF}, ""},
		{"missing", original, map[string]string{"race0.go": head + initF},
			"race0.go declares racefree(unsafe.Pointer, uintptr), which commute does not " +
				"implement"},
		{
			"other type", original, map[string]string{"race0.go": head + initF +
				"func racefree(p, n unsafe.Pointer) {}\n"},
			"race0.go declares racefree(unsafe.Pointer, uintptr), which commute has as " +
				"racefree(unsafe.Pointer, unsafe.Pointer)",
		},
		{"too many", original, map[string]string{"race0.go": head + initF + freeF +
			"func raceold() {}\n"}, "race0.go does not declare raceold"},
		{"variable", original + "var racenew int\n", map[string]string{"race0.go": head + initF +
			freeF}, "race0.go declares racenew"},
		{"method", original + "func (g *g) race() {}\n", map[string]string{"race0.go": head +
			initF + freeF}, "race0.go declares the method race"},
		{"no template", original, nil, "no template of package runtime is called race0.go"},
	}
	for _, test := range tests {
		fsys := fstest.MapFS{}
		for name, src := range test.templates {
			fsys[name] = &fstest.MapFile{Data: []byte(src)}
		}
		p := package_(t, "runtime", map[string]string{"race0.go": test.original})
		err := p.Runtime(fsys, target.Current("go1.26.8"), false)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.name, err, test.want)
			}
			continue
		}
		if err != nil || len(p.Removed) != 1 || len(p.Added) == 0 {
			t.Errorf("%s: %v, removed %v, added %d", test.name, err, p.Removed, len(p.Added))
			continue
		}
		for _, a := range p.Added {
			if !strings.HasPrefix(string(a.Data), "//line commute/patch/") {
				t.Errorf("%s: %s:\n%s", test.name, a.Name, a.Data)
			}
		}
	}
}

// TestTemplates holds commute's templates against the release's race0.go.
func TestTemplates(t *testing.T) {
	p := std(t, "runtime", "race0.go")
	if err := p.Runtime(patch.Templates(), target.Current("go1.26.8"), false); err != nil {
		t.Error(err)
	}
}
