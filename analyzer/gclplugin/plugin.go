// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package gclplugin is commute as a module plugin of golangci-lint: its analyzers, under the name
// commute. Only a custom build of golangci-lint imports it.
//
// Input: the settings of the linter, in .golangci.yml. Output: the analyzers that the settings
// select.
//
//	lints   the analyzers that are off by default, by name: checkact, splitlock, reduction
//	level   their level: likely (the default) or all
//
// The analyzers that check comments are always on. docs/vet.md has a configuration.
package gclplugin

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/reduction"
	"github.com/commutego/commute/analyzer/splitlock"
	"github.com/commutego/commute/analyzer/transaction"
	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"
)

// Name is what the linter is called in the configuration.
const Name = "commute"

func init() { register.Plugin(Name, New) }

// Settings are the settings of the linter.
type Settings struct {
	Lints []string `json:"lints"`
	Level string   `json:"level"`
}

// lints are the analyzers that are off by default.
var lints = []*analysis.Analyzer{checkact.Analyzer, splitlock.Analyzer, reduction.Analyzer}

type plugin struct{ analyzers []*analysis.Analyzer }

// New makes the linter with settings, as golangci-lint has decoded them. It returns an error for
// unknown settings.
func New(settings any) (register.LinterPlugin, error) {
	s, err := register.DecodeSettings[Settings](settings)
	if err != nil {
		return nil, fmt.Errorf("linter %s: %w", Name, err)
	}
	p := &plugin{[]*analysis.Analyzer{directive.Analyzer, annotation.Analyzer,
		transaction.Analyzer}}
	var names []string
	for _, a := range lints {
		names = append(names, a.Name)
	}
	for _, name := range s.Lints {
		a := byName(name)
		if a == nil {
			return nil, fmt.Errorf("linter %s: there is no lint %q (there are %s)", Name, name,
				strings.Join(names, ", "))
		}
		p.analyzers = append(p.analyzers, a)
	}
	switch s.Level {
	case "":
		s.Level = checkact.Likely
	case checkact.Likely, checkact.All:
	default:
		return nil, fmt.Errorf("linter %s: there is no level %q (likely or all)", Name, s.Level)
	}
	for _, a := range lints {
		if f := a.Flags.Lookup("level"); f != nil {
			if err := f.Value.Set(s.Level); err != nil {
				return nil, err
			}
		}
	}
	return p, nil
}

// byName is the lint with a name, nil if there is none.
func byName(name string) *analysis.Analyzer {
	for _, a := range lints {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// BuildAnalyzers returns the analyzers.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) { return p.analyzers, nil }

// GetLoadMode says that the analyzers need types.
func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
