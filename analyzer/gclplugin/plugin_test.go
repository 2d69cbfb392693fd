// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package gclplugin

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// TestPlugin makes the linter as golangci-lint does, from decoded YAML.
func TestPlugin(t *testing.T) {
	t.Cleanup(func() { New(nil) }) // the level is a flag
	for _, test := range []struct {
		settings any
		names    string // of the analyzers
		level    string
		err      string
	}{
		{nil, "directive ecl atomic", "likely", ""},
		{map[string]any{"lints": []any{"splitlock", "checkact", "reduction"}, "level": "all"},
			"directive ecl atomic splitlock checkact reduction", "all", ""},
		{map[string]any{"lints": []any{"splitlok"}}, "", "",
			`there is no lint "splitlok" (there are checkact, splitlock, reduction)`},
		{map[string]any{"level": "some"}, "", "", `there is no level "some"`},
		{map[string]any{"lint": "checkact"}, "", "", `unknown field "lint"`},
	} {
		create, err := register.GetPlugin(Name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := create(test.settings)
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%v: error %v", test.settings, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		list, err := p.BuildAnalyzers()
		if err != nil || analysis.Validate(list) != nil {
			t.Fatal(err, analysis.Validate(list))
		}
		var names []string
		for _, a := range list {
			names = append(names, a.Name)
		}
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("%v: analyzers %s", test.settings, got)
		}
		for _, a := range lints {
			if f := a.Flags.Lookup("level"); f != nil && f.Value.String() != test.level {
				t.Errorf("%v: level %s of %s", test.settings, f.Value, a.Name)
			}
		}
		if p.GetLoadMode() != register.LoadModeTypesInfo {
			t.Error(p.GetLoadMode())
		}
	}
}
