// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix && !solaris && !aix

package explore

import (
	"os"
	"syscall"
)

// lockFile locks a file until it is closed. It reports whether nobody else had locked it.
func lockFile(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
