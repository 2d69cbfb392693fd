// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package goversion decides which Go releases commute can work with. Commute
// replaces declarations of the standard library, so a release that nobody has
// looked at is refused rather than guessed at. The supported range is stated
// here and nowhere else.
//
// Input: a version as "go env GOVERSION" or "compile -V=full" prints it.
// Output: nil, or an error that is one sentence for the user.
package goversion

import (
	"fmt"
	"strconv"
	"strings"
)

// First and Last are the oldest and the newest supported minor release of Go 1.
const (
	First = 26
	Last  = 27
)

// Supported names the range in the form that messages use.
func Supported() string {
	if First == Last {
		return fmt.Sprintf("Go 1.%d", First)
	}
	return fmt.Sprintf("Go 1.%d to Go 1.%d", First, Last)
}

// Check reports whether commute supports the Go release called version, such
// as "go1.26.8", "go1.26rc1" or "go1.26-devel_3a5f1c2".
func Check(version string) error {
	minor, ok := parse(version)
	switch {
	case !ok:
		return fmt.Errorf("found Go version %q, which commute cannot read: it supports %s; put such a release first on PATH or set GOTOOLCHAIN",
			version, Supported())
	case minor < First:
		return fmt.Errorf("found %s, but commute supports %s: install it, or set GOTOOLCHAIN=go1.%d.0 to let the go command fetch it",
			version, Supported(), Last)
	case minor > Last:
		return fmt.Errorf("found %s, but this commute supports %s: update commute, or set GOTOOLCHAIN=go1.%d.0 for this run",
			version, Supported(), Last)
	}
	return nil
}

// parse returns the minor number of a Go 1 version.
func parse(version string) (minor int, ok bool) {
	rest, ok := strings.CutPrefix(version, "go1.")
	if !ok {
		return 0, false
	}
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	minor, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0, false
	}
	// What may follow: a patch release, a pre-release, a development suffix, or
	// the words of a vendor after a space.
	for _, p := range []string{"", ".", "rc", "beta", "-", " "} {
		if tail := rest[end:]; tail == p || p != "" && strings.HasPrefix(tail, p) {
			return minor, true
		}
	}
	return 0, false
}
