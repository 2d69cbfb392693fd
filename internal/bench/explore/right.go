// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/commutego/commute/internal/explore"
)

// rightTable prints how many runs the right programs have had, and how many of these have failed.
func rightTable(dir, tool string, chosen *regexp.Regexp) error {
	b, names, err := programs(dir, tool, "TestRight", chosen)
	if err != nil {
		return err
	}
	fmt.Println("| program | runs | failures | seconds |\n| --- | --- | --- | --- |")
	total, wrong := 0, 0
	for _, name := range names {
		start := time.Now()
		n, failures, err := exploreLong(b, name, *runs)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %.0f |\n", strings.TrimPrefix(name, "TestRight"), n,
			len(failures), time.Since(start).Seconds())
		for _, f := range failures {
			fmt.Fprintf(os.Stderr, "%s fails by %v:\n%s\n", name, f.Seeds, f.Output)
		}
		total, wrong = total+n, wrong+len(failures)
	}
	fmt.Printf("| all %d | %d | %d | |\n", len(names), total, wrong)
	if wrong > 0 {
		return errFailed
	}
	return nil
}

// exploreLong explores a program until it has had so many runs. An exploration may end before, as
// it goes on to find nothing new: then comes one with another seed.
func exploreLong(b *explore.Binary, name string, runs int) (n int, list []*explore.Failure,
	err error) {
	for seed := uint64(1); n < runs; seed++ {
		r, err := explore.Explore(b, explore.Plan{Runs: runs - n, Base: seed, Timeout: timeout},
			name)
		if err != nil {
			return n, list, err
		}
		if n += r.Runs; r.Failure != nil {
			list = append(list, r.Failure)
		}
	}
	return n, list, nil
}
