// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"runtime/debug"
)

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

// largeSource is the size of a large package's Go files.
const largeSource = 4 << 20

// isLarge reports whether the Go files of a package are so large that its analyses make gigabytes
// of garbage, if that is collected as seldom as in other packages.
func (u *unit) isLarge() bool {
	size := int64(0)
	for _, path := range u.Files {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size >= largeSource
}

// collectMore has this process collect garbage as often as others do, unless the user says how
// often.
func collectMore() {
	if os.Getenv(collectorVariable) == "" {
		debug.SetGCPercent(100)
	}
}
