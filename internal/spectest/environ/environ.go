// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package environ hides the RAPID_ variables of the environment from package rapid. They are meant
// for the user's tests, and rapid reads them when a program starts, and ends it if it can't.
//
// Input: the environment. Output: the environment without them; Restore puts them back.
//
// Packages whose imports are initialized are themselves initialized in the order of their import
// paths, so this one comes before pgregory.net/rapid.
package environ

import (
	"os"
	"strings"
)

var hidden [][2]string

func init() { hide() }

func hide() {
	for _, v := range os.Environ() {
		if name, value, ok := strings.Cut(v, "="); ok && strings.HasPrefix(name, "RAPID_") {
			hidden = append(hidden, [2]string{name, value})
			os.Unsetenv(name)
		}
	}
}

// Restore puts the variables back, for the programs that this one runs.
func Restore() {
	for _, v := range hidden {
		os.Setenv(v[0], v[1])
	}
	hidden = nil
}
