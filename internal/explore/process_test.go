// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"context"
	"reflect"
	"testing"
)

// TestParseBinary reads command lines, with what runs the program and without.
func TestParseBinary(t *testing.T) {
	for _, c := range []struct {
		line  []string
		want  Binary
		words []string // that a process is started by, with the argument a
	}{
		{[]string{"x.test"}, Binary{Path: "x.test"}, []string{"x.test", "a"}},
		{[]string{"x.test", "-test.v=true", "-test.run=A/b", "-test.count=1", "-test.short", "y", "z"},
			Binary{Path: "x.test", Flags: []string{"-test.short"}, Args: []string{"y", "z"}, Run: "A/b",
				Verbose: "true"}, []string{"x.test", "a"}},
		{[]string{"qemu", "-cpu", "max", "x.test", "-test.timeout=0", "-own"},
			Binary{Exec: []string{"qemu", "-cpu", "max"}, Path: "x.test", Args: []string{"-own"}},
			[]string{"qemu", "-cpu", "max", "x.test", "a"}},
	} {
		b, err := ParseBinary(c.line)
		if len(b.Exec) == 0 {
			b.Exec = nil
		}
		if err != nil || !reflect.DeepEqual(b, c.want) {
			t.Errorf("%q: %+v, %v", c.line, b, err)
		}
		for range 2 {
			if words := b.command(context.Background(), "a").Args; !reflect.DeepEqual(words, c.words) {
				t.Errorf("%q: it is run by %q", c.line, words)
			}
		}
	}
	if _, err := ParseBinary(nil); err == nil {
		t.Error("an empty line is taken")
	}
}
