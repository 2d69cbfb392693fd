// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"bytes"
	"os"
	"testing"
)

// TestUpToDate fails where the table has been changed and package event has not been made anew.
func TestUpToDate(t *testing.T) {
	want, err := Kinds()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("package event is not what the table says (run go generate ./internal/event/...)")
	}
}
