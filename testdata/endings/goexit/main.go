// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package goexit makes a finding; then its only goroutine exits.
package main

import (
	"runtime"

	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: its only goroutine exits.
func end() {
	runtime.Goexit()
}
