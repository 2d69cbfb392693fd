// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"strings"
	"testing"
	"unsafe"
)

// TestTextsAreGivenBack keeps and forgets calls with long arguments: their texts have to be used
// again.
func TestTextsAreGivenBack(t *testing.T) {
	places := make(map[*[MaxText]byte]bool)
	table := &Table{}
	for range 10_000 {
		values := []any{strings.Repeat("k", 1000), 1}
		a := newAction(table, &Call{Nargs: 2, Args: unsafe.Pointer(&values[0])})
		copied := *a
		copied.OwnTexts()
		for _, x := range []*Action{a, &copied} {
			p := x.args[0].outside().P()
			if string(x.args[0].Bytes()) != strings.Repeat("k", MaxText) {
				t.Fatalf("%q is kept", x.args[0].Bytes())
			}
			places[p] = true
		}
		copied.Drop()
		a.unref()
	}
	if len(places) > 1000 {
		t.Errorf("texts were at %d places", len(places))
	}
}
