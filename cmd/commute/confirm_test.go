// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestExploringFlags says what the call that explores gets of a command line.
func TestExploringFlags(t *testing.T) {
	for line, want := range map[string]string{
		"./... ":                                                     "",
		"-confirm ./a":                                               "",
		"-confirm=30s -v -json ./a ./b":                              "",
		"-tags x,y -run TestX ./a":                                   "-tags x,y",
		"-run=TestX -count 3 -race=false .":                          "-race=false",
		"-datarace -atomic=f -spec s.ecl .":                          "-datarace -atomic=f -spec s.ecl",
		"-level all -mod=mod -timeout 5s .":                          "-level all -mod=mod -timeout 5s",
		"-test.v -bench . -short . -args -v":                         "-short / -args -v",
		"-p 1 -coverprofile c.out -ldflags -X=a.b=c -failfast ./...": "-p 1 -ldflags -X=a.b=c",
	} {
		flags, after := exploringFlags(strings.Fields(line))
		if len(after) > 0 {
			flags = append(slices.Clone(flags), append([]string{"/"}, after...)...)
		}
		if got := strings.Join(flags, " "); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
