// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !unix

package main

import "os"

// quit ends a program.
var quit = os.Kill
