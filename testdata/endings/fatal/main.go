// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package fatal makes a finding; then it ends by log.Fatal.
package main

import (
	"log"

	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: it ends by log.Fatal.
func end() {
	log.Fatal("own message")
}
