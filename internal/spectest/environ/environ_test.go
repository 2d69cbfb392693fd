// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package environ

import (
	"os"
	"testing"
)

func TestRestore(t *testing.T) {
	t.Setenv("RAPID_CHECKS", "not a number")
	t.Setenv("RAPID_", "")
	t.Setenv("NOT_RAPID_X", "stays")
	hide()
	_, checks := os.LookupEnv("RAPID_CHECKS")
	_, empty := os.LookupEnv("RAPID_")
	if checks || empty || os.Getenv("NOT_RAPID_X") != "stays" {
		t.Errorf("hidden: %v, %v", !checks, !empty)
	}
	Restore()
	if v, ok := os.LookupEnv("RAPID_"); os.Getenv("RAPID_CHECKS") != "not a number" || !ok ||
		v != "" {
		t.Error("not restored")
	}
}
