// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !linux

package runtime

// commute_host_Pid tells processes apart: Go's runtime doesn't know their numbers here.
func commute_host_Pid() uint64 { return uint64(nanotime()) }
