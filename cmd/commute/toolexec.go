// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"runtime/debug"

	"github.com/commutego/commute/internal/toolchain/toolexec"
)

func runToolexec(args []string, config toolexec.Config) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // most packages are done before a collection pays
	}
	driver := &toolexec.Driver{Config: config, Stdout: os.Stdout, Stderr: os.Stderr}
	return driver.Run(args)
}
