// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command gen writes the kinds of package event from the table of events. It is run by
// "go generate ./internal/event/...", in the folder of package table.
package main

import (
	"fmt"
	"os"

	"github.com/commutego/commute/internal/event/gen/source"
)

func main() {
	text, err := source.Kinds()
	if err == nil {
		err = os.WriteFile("../kinds.go", text, 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
