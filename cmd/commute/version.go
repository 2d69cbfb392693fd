// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

func printVersion(args []string, _ toolexec.Config) int {
	version := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	fmt.Printf("commute %s for %s, built with %s\n", version, goversion.Supported(),
		runtime.Version())
	return 0
}
