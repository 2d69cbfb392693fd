// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/commutego/commute/internal/toolchain/golist"
)

// TestFailCode ends with the go command's code for what the go command refuses, alone or among
// other such refusals, and with 2 if anything else is wrong.
func TestFailCode(t *testing.T) {
	refused := &golist.Refusal{Text: "go: refused", Code: 1}
	wrong := errors.New("wrong")
	for _, test := range []struct {
		name string
		err  error
		code int
	}{
		{"refused", refused, 1},
		{"wrong", wrong, 2},
		{"joined", errors.Join(refused, refused), 1},
		{"nested", errors.Join(errors.Join(fmt.Errorf("list: %w", refused))), 1},
		{"mixed", errors.Join(refused, wrong), 2},
		{"mixed the other way round", errors.Join(wrong, refused), 2},
		{"greater", errors.Join(&golist.Refusal{Text: "go: killed", Code: 3}, wrong), 3},
	} {
		if code := fail(test.err); code != test.code {
			t.Errorf("%s: code %d, want %d", test.name, code, test.code)
		}
	}
}
