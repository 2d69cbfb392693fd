// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"testing"

	"github.com/commutego/commute/testdata/endings/finding"
)

func TestEnding(t *testing.T) {
	if os.Getenv("COMMUTE_ENDINGS") == "" {
		t.Skip("COMMUTE_ENDINGS is not set")
	}
	finding.Make()
	end()
}
