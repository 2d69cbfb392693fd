// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package toolexec

import (
	"os"
	"syscall"
)

// Replace runs args in place of this process: no process is left between the
// go command and the tool to pass signals or output on.
func Replace(args []string) (int, error) {
	if err := syscall.Exec(args[0], args, os.Environ()); err != nil {
		return 0, &os.PathError{Op: "exec", Path: args[0], Err: err}
	}
	return 0, nil // not reached
}
