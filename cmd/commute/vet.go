// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strings"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/analyzer/directive"
	"golang.org/x/tools/go/analysis/unitchecker"
)

// isVettool reports whether args are those that go vet gives to its tool: a
// question about it, or a configuration file after any flags.
func isVettool(args []string) bool {
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// vet runs the analyzers as go vet's tool. It reads os.Args and does not return.
func vet() {
	unitchecker.Main(directive.Analyzer, annotation.Analyzer)
}
