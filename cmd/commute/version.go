// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"runtime"

	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

func printVersion(args []string, _ toolexec.Config) int {
	fmt.Printf("commute %s for %s, built with %s\n", ownVersion(), goversion.Supported(),
		runtime.Version())
	return 0
}
