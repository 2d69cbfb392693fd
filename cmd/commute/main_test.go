// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"os"
	"testing"

	"github.com/commutego/commute/internal/toolchain/enginetest"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("u", false, "rewrite the scripts' golden files")

// The test binary is the command, with the tests' engine in place of the real one.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"commute": func() { os.Exit(run(os.Args[1:], enginetest.Config())) },
	})
}
