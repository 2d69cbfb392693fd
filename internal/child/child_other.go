// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package child

import "os"

var ending = []os.Signal{os.Interrupt}

var forwarded = []os.Signal{os.Interrupt}

// Exit ends this process with the child's exit code.
func Exit(state *os.ProcessState) { os.Exit(state.ExitCode()) }
