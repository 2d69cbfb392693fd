// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package passon

import (
	"os"
	"strings"
	"syscall"
)

func init() {
	if tool := other(os.Args); tool != nil {
		// If it can't be run, the rest of commute says why.
		_ = syscall.Exec(tool[0], tool, os.Environ())
	}
}

// other returns the tool that a command line of commute has the go command run, with its arguments,
// if it is not the compiler. It is nil where there is more to be read: other flags, or no tool.
func other(args []string) []string {
	if len(args) < 3 || args[1] != "toolexec" {
		return nil
	}
	if args = args[2:]; args[0] == Driven {
		args = args[1:]
	}
	if len(args) == 0 || !strings.HasPrefix(args[0], "/") ||
		strings.HasPrefix(args[0][strings.LastIndexByte(args[0], '/')+1:], "compile") {
		return nil
	}
	return args
}
