// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import "os"

// collectorVariable is the environment variable by which Go's collector works.
const collectorVariable = "GOGC"

// collectLess has the compiler of package runtime collect garbage less often, unless the user says
// how often. With the engine in it the package is twice as large, and all others wait for it. A
// quarter of the compiler's time was the collector's; without, it takes a fifth more memory.
func collectLess(path string) {
	if path == "runtime" && os.Getenv(collectorVariable) == "" {
		os.Setenv(collectorVariable, "400")
	}
}
