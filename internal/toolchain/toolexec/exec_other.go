// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package toolexec

import "os"

// Replace runs args with the streams of this process.
func Replace(args []string) (int, error) {
	if err := runTool(args[0], args[1:], os.Stdout, os.Stderr); err != nil {
		return exitCode(err)
	}
	return 0, nil
}
