// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package panic makes a finding; then it panics.
package main

import (
	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: it panics.
func end() {
	panic("own message")
}
