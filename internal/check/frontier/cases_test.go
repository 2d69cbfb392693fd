// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package frontier

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/trace/tracegen"
)

func TestCases(t *testing.T) {
	for _, c := range tracegen.Cases {
		t.Run(c.Name, func(t *testing.T) {
			if got := c.Run(New(tracegen.MapRelation)); !slices.Equal(got, c.Graph) {
				t.Errorf("%s: violations at %v, want %v", c.Text, got, c.Graph)
			}
		})
	}
}
