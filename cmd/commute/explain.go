// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/commutego/commute/cmd/commute/internal/explain"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

const explainHelp = `usage: commute explain [KIND]

Says what a kind of finding means, with an example, and how to mend it; without KIND, which
kinds there are. Reports have it after "What can go wrong".
`

func explainKind(args []string, _ toolexec.Config) int {
	if len(args) == 0 {
		for _, kind := range explain.Kinds() {
			fmt.Printf("%-24s%s\n", kind, explain.Summary(kind))
		}
		return 0
	}
	text, err := explain.Text(strings.Join(args, " "))
	if err != nil {
		fmt.Fprintf(os.Stderr, "commute explain: %v\n", err)
		return toolexec.ExitUsage
	}
	fmt.Print(text)
	return 0
}
