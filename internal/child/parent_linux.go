// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package child

import "syscall"

// withParent has the child killed when the thread ends that starts it.
func withParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
