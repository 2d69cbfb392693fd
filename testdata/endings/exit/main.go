// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package exit makes a finding; then it exits with 3.
package main

import (
	"fmt"
	"os"

	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: it exits with 3.
func end() {
	fmt.Println("own message")
	os.Exit(3)
}
