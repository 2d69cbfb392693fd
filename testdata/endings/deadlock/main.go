// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// The program of package deadlock makes a finding; then nobody can go on.
package main

import (
	"sync"

	"github.com/commutego/commute/testdata/endings/finding"
)

func main() {
	finding.Make()
	end()
}

// end ends the program: nobody can go on.
func end() {
	var mu sync.Mutex
	mu.Lock()
	mu.Lock()
}
