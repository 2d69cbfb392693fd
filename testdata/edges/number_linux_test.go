// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import "syscall"

// copied makes a copy of a descriptor with a number of its own. Newer ports of Linux have no Dup2.
func copied(from, to int) error { return syscall.Dup3(from, to, syscall.O_CLOEXEC) }
