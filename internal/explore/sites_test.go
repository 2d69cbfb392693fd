// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"strings"
	"testing"
)

// TestReadSite reads sites in functions of all kinds.
func TestReadSite(t *testing.T) {
	for _, c := range []struct{ fn, file, want string }{
		{"m.F", "b.go", "m/b.go:7"},
		{"example.com/m.(*T).F.func1", "b.go", "example.com/m/b.go:7"},
		{"example.com/m%2ev2.F", "b.go", "example.com/m.v2/b.go:7"},
		{"example.com/m_test.F", "b_test.go", "example.com/m/b_test.go:7"},
		{"example.com/m.F", "b c.go", "example.com/m/b%20c.go:7"},
		{"example.com/m.Map[go.shape.struct { name string; n []int }].Get", "b.go",
			"example.com/m/b.go:7"},
		{"example.com/m.(*Map[go.shape.string,example.org/k.Key]).Get", "b.go",
			"example.com/m/b.go:7"},
	} {
		var got told
		got.readSite(strings.Fields("w 1f 1 7 " + c.fn + " " + c.file))
		if op := got.sites["1f"].op; op.String() != "Lock "+c.want {
			t.Errorf("%s %s: %v, want %s", c.fn, c.file, op, c.want)
		}
	}
}
