// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"os"
	"testing"

	"github.com/commutego/commute/internal/longtest"
	"github.com/commutego/commute/internal/toolchain/enginetest"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("u", false, "rewrite the scripts' golden files")

// The test binary is the command, with the tests' engine in place of the real one.
func TestMain(m *testing.M) {
	testscript.Main(several{m}, map[string]func(){
		"commute": func() { os.Exit(run(os.Args[1:], enginetest.Config())) },
	})
}

// several are the tests, more of which run at once than there are processors: scripts wait for
// what they run.
type several struct{ *testing.M }

func (m several) Run() int {
	longtest.AtOnce(3)
	return m.M.Run()
}
