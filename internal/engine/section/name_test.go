// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestTouchOf has the touch of a variable, until its memory is freed; what is there then has none.
func TestTouchOf(t *testing.T) {
	var w World
	const addr = 0x10008
	touch := &compiled.SectionTouch{Name: "T.n"}
	at := w.place(addr)
	at.name(&compiled.SectionTouch{Op: compiled.WriteBacking, Name: "T.list"})
	at.name(touch)
	at.name(&compiled.SectionTouch{Name: "other"})
	if w.TouchOf(addr) != nil {
		t.Error("nothing is recorded, and there is a touch")
	}
	w.on.Store(1)
	if w.TouchOf(addr) != touch || w.TouchOf(addr+8) != nil {
		t.Error("there is no touch, or one elsewhere")
	}
	w.Freed(addr, addr+8, nil)
	if w.TouchOf(addr) != nil {
		t.Error("freed memory has a touch")
	}
	if again := w.place(addr); again != at || w.TouchOf(addr) != nil {
		t.Error("the next variable has the touch of the one before")
	}
	w.Reset()
}
