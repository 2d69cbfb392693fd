// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package host stands for what the templates implement.
package host

import (
	"os"

	"example.com/nowhere"
)

// Write writes to standard error.
func Write(s string) { os.Stderr.WriteString(s); nowhere.F() }

// Enabled reports whether counts are wanted.
func Enabled() bool { return os.Getenv("TALLY") != "" }

// Tell writes what the environment says was watched where it says so.
func Tell() {}
