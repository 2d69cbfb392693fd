// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix && !linux

package edges

import "syscall"

// copied makes a copy of a descriptor with a number of its own.
func copied(from, to int) error { return syscall.Dup2(from, to) }
