// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

func commute_host_Pid() uint64 { return uint64(getpid()) }
