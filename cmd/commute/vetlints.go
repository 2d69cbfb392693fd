// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/checkact"
	"github.com/commutego/commute/analyzer/directive"
	"github.com/commutego/commute/analyzer/reduction"
	"github.com/commutego/commute/analyzer/splitlock"
	"github.com/commutego/commute/analyzer/transaction"
	"golang.org/x/tools/go/analysis"
)

// A lint is an analyzer that is off by default: what it says may be meant so.
type lint struct {
	*analysis.Analyzer
	concerns func(texts []string) bool // whether it may report something, by the texts of files
}

// lints are the analyzers that are off by default.
var lints = []lint{
	{checkact.Analyzer, func(texts []string) bool {
		return slices.ContainsFunc(texts, annotation.Mentioned) ||
			directive.Needed(checkact.Watched(), texts)
	}},
	{splitlock.Analyzer, func(texts []string) bool {
		return slices.ContainsFunc(texts, splitlock.Mentioned)
	}},
	{reduction.Analyzer, func(texts []string) bool {
		return slices.ContainsFunc(texts, transaction.Mentioned)
	}},
}

// askedFor lists the lints that flags are about, whatever their values.
func askedFor(flags []string) (list []*analysis.Analyzer) {
	for _, l := range lints {
		if slices.ContainsFunc(flags, func(arg string) bool {
			name, _, _ := flagParts(arg)
			return name == l.Name
		}) {
			list = append(list, l.Analyzer)
		}
	}
	return list
}

// flagParts splits a flag of an analyzer: -name, -name=value, or -name.option=value.
func flagParts(arg string) (name, option, value string) {
	if !strings.HasPrefix(arg, "-") {
		return "", "", ""
	}
	name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
	name, option, _ = strings.Cut(name, ".")
	if !ok && option == "" {
		value = "true"
	}
	return name, option, value
}

// onlyLints reports whether flags turn on some lints, and do nothing else but set their options.
// Then no other analyzer is run. The options are set.
func onlyLints(flags []string) (on []*analysis.Analyzer, ok bool) {
	for _, arg := range flags {
		name, option, value := flagParts(arg)
		i := slices.IndexFunc(lints, func(l lint) bool { return l.Name == name })
		switch {
		case i < 0:
			return nil, false
		case option != "":
			if lints[i].Flags.Set(option, value) != nil {
				return nil, false
			}
		case value == "true":
			on = append(on, lints[i].Analyzer)
		default:
			return nil, false
		}
	}
	return on, len(on) > 0
}

// lintsConcern reports whether some lints may report something.
func lintsConcern(on []*analysis.Analyzer) func(u *vetUnit, texts []string) bool {
	return func(_ *vetUnit, texts []string) bool {
		return slices.ContainsFunc(lints, func(l lint) bool {
			return slices.Contains(on, l.Analyzer) && l.concerns(texts)
		})
	}
}
