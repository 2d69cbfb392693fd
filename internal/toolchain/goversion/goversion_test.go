// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package goversion

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	tests := []struct {
		version string
		want    string // "" means supported; else a part of the message
	}{
		{"go1.26", ""},
		{"go1.26.0", ""},
		{"go1.26.8", ""},
		{"go1.26rc2", ""},
		{"go1.26-devel_3a5f1c2", ""},
		{"go1.26.8 X:jsonv2", ""},
		{"go1.27.4", ""},
		{"go1.28.1", ""}, // package release looks at it
		{"go1.260", ""},
		{"go1.25.9", "found go1.25.9, but commute supports Go 1.26 and Go 1.27: install one"},
		{"go2.0", "cannot read"},
		{"", `found Go version ""`},
		{"devel", "cannot read"},
		{"go1.x", "cannot read"},
		{"go1.26foo", "cannot read"},
	}
	for _, test := range tests {
		err := Check(test.version)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("Check(%q) = %v, want nil", test.version, err)
		case test.want != "" && err == nil:
			t.Errorf("Check(%q) = nil, want an error with %q", test.version, test.want)
		case test.want != "" && !strings.Contains(err.Error(), test.want):
			t.Errorf("Check(%q) = %q, want it to contain %q", test.version, err, test.want)
		}
	}
}

func TestKnown(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26": true, "go1.26.8": true, "go1.27.4": true, "go1.27.99": true,
		"go1.26.8 X:jsonv2": true, "go1.26rc2": true,
		"go1.25.9": false, "go1.28.0": false, "go1.27-devel_3a5f1c2": false, "devel": false,
		"": false,
	} {
		if got := Known(version); got != want {
			t.Errorf("Known(%q) = %v", version, got)
		}
	}
}

func TestTags(t *testing.T) {
	if got := Tags("go1.27.4"); len(got) != 27 || got[0] != "go1.1" || got[26] != "go1.27" {
		t.Errorf("Tags = %v", got)
	}
}
