// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package explore

import "os"

// quit ends a process.
var quit = os.Kill
