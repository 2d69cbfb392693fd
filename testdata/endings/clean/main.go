// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package clean makes a finding; then it ends as usual.
package main

import (
	"fmt"

	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: it ends as usual.
func end() {
	fmt.Println("own message")
}
