// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package main

import "os"

// peak is not known here.
func peak(*os.ProcessState) int64 { return 0 }
