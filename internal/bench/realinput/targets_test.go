// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strings"
	"testing"
)

// TestTargets has each target by a name of its own, modules at a version, and a reason for each
// part that is left out.
func TestTargets(t *testing.T) {
	names := make(map[string]bool)
	for _, of := range targets {
		if names[of.name] {
			t.Errorf("%s: there are two", of.name)
		}
		names[of.name] = true
		if _, version, _ := strings.Cut(of.module, "@v"); of.module != "" && version == "" {
			t.Errorf("%s: %s has no version", of.name, of.module)
		}
		if of.module == "" && of.packages == nil {
			t.Errorf("%s: neither a module nor packages", of.name)
		}
		if less := of.every > 0 || of.short || of.skip != ""; less != (of.because != "") {
			t.Errorf("%s: a part is left out (%v), because %q", of.name, less, of.because)
		}
	}
}
