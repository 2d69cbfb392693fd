// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch && !linux

package runtime

import "unsafe"

// commute_host_Back leaves it to page faults.
func commute_host_Back(p unsafe.Pointer, n uintptr) {}
