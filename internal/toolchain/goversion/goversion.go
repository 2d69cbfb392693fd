// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package goversion reads the versions of Go releases. Which ones commute was tested with is stated
// here and nowhere else; package release says whether another one will do.
//
// Input: a version as "go env GOVERSION" or "compile -V=full" prints it.
// Output: nil, or an error that is one sentence for the user.
package goversion

import (
	"fmt"
	"strconv"
	"strings"
)

// First and Last are the oldest and the newest minor release of Go 1 that commute was tested with.
const (
	First = 26
	Last  = 27
)

// Supported names the range in the form that messages use.
func Supported() string {
	switch Last - First {
	case 0:
		return fmt.Sprintf("Go 1.%d", First)
	case 1:
		return fmt.Sprintf("Go 1.%d and Go 1.%d", First, Last)
	}
	return fmt.Sprintf("Go 1.%d to Go 1.%d", First, Last)
}

// Check refuses a Go release that is older than commute supports, or whose version, such as
// "go1.26.8", "go1.26rc1" or "go1.26-devel_3a5f1c2", cannot be read.
func Check(version string) error {
	minor, ok := Minor(version)
	switch {
	case !ok:
		return fmt.Errorf("found Go version %q, which commute cannot read: it supports %s; put "+
			"such a release first on PATH or set GOTOOLCHAIN",
			version, Supported())
	case minor < First:
		return fmt.Errorf("found %s, but commute supports %s: install one, or set "+
			"GOTOOLCHAIN=go1.%d.0 to let the go command fetch it",
			version, Supported(), Last)
	}
	return nil
}

// Known reports whether the version is that of a release in the tested range, and of no development
// version.
func Known(version string) bool {
	minor, ok := Minor(version)
	return ok && First <= minor && minor <= Last && !strings.Contains(version, "devel")
}

// Tags are the build tags that hold for a release, "go1.1" and so on.
func Tags(version string) []string {
	minor, _ := Minor(version)
	tags := make([]string, minor)
	for i := range tags {
		tags[i] = fmt.Sprintf("go1.%d", i+1)
	}
	return tags
}

// Minor returns the minor number of a Go 1 version.
func Minor(version string) (minor int, ok bool) {
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
