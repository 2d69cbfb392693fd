// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package explore

import "syscall"

// quit ends a process, which shows its goroutines then.
const quit = syscall.SIGQUIT
