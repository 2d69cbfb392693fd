// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"github.com/commutego/commute/internal/toolchain/marked"
)

// marks reports whether a build has code that is marked as atomic. A pattern that marks nothing is an error.
func marks(own setting, build *marked.Build) (bool, error) {
	if len(own.atomic) == 0 && !build.Annotated() {
		return false, nil
	}
	if len(own.atomic) > 0 {
		unmatched, example, err := build.Unmatched(own.atomic)
		switch {
		case err != nil:
			return false, err
		case len(unmatched) > 0 && example != "":
			return false, fmt.Errorf("-atomic %s: no function of these packages is called so (names are as in stack traces, %s for one)", unmatched[0], example)
		case len(unmatched) > 0:
			return false, fmt.Errorf("-atomic %s: no function of these packages is called so", unmatched[0])
		}
	}
	return true, nil
}
