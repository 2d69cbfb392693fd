// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !linux

package child

import "syscall"

func withParent() *syscall.SysProcAttr { return nil }
