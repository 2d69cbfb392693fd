// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/text"
)

// A range of one line is that line.
func TestRange(t *testing.T) {
	from := host.Frame{File: "/a/a.go", Line: 3, Offset: 1}
	for _, test := range []struct {
		to   host.Frame
		want string
	}{
		{host.Frame{File: "/a/a.go", Line: 3, Offset: 2}, "a.go:3"},
		{host.Frame{File: "/a/a.go", Line: 4}, "a.go:3 to a.go:4"},
		{host.Frame{File: "/b/a.go", Line: 3}, "a.go:3 to a.go:3"},
	} {
		b := new(text.Buffer)
		Range(b, from, test.to)
		if got := b.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
