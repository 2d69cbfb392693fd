// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edit

import "testing"

// TestThen makes changes one after the other, which speak of the files as they were.
func TestThen(t *testing.T) {
	var all, first, second, third Change
	if !all.Empty() {
		t.Error("a new change is not empty")
	}
	first.Edit("a.go", Edit{Start: 3, End: 3, Text: "1"})
	second.Edit("a.go", Edit{Start: 3, End: 3, Text: "2"})
	second.Edit("a.go", Edit{Start: 0, End: 1, Text: "A"})
	second.Edit("b.go", Edit{Text: "b"})
	second.Remove("c.go")
	third.Added = []Added{{Name: "d.go", Data: []byte("d")}}
	for _, next := range []Change{first, second, third} {
		all.Then(next)
	}
	got, err := Apply([]byte("abcdef"), all.Edits["a.go"])
	if err != nil || string(got) != "Abc12def" {
		t.Errorf("%s, %v", got, err)
	}
	if all.Empty() || len(all.Edits) != 2 || !all.Removed["c.go"] || len(all.Added) != 1 {
		t.Errorf("%+v", all)
	}
	if len(first.Edits["a.go"]) != 1 || first.Removed != nil {
		t.Errorf("the first one has become %+v", first)
	}
}
