// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package output

import (
	"testing"

	"github.com/commutego/commute/internal/engine/host"
)

// TestTooMuchWaiting has nobody write: text beyond a bound is lost, and counted.
func TestTooMuchWaiting(t *testing.T) {
	host.Output = func(uintptr, []byte) bool { return true }
	defer func() { host.Output = nil }()
	q := &queue
	q.size += maxWaiting - 100
	first, second := NewText(7, true), NewText(7, true)
	for _, m := range []*Text{first, second} {
		for range 90 {
			m.Text(".")
		}
		m.Send()
	}
	q.size -= maxWaiting - 100
	if reports, rest := TakeLost(); reports != 2 || rest != 0 {
		t.Errorf("%d reports are lost or wait, and %d other texts, want 2 and 0", reports, rest)
	}
	Flush()
	if reports, rest := TakeLost(); reports+rest != 0 {
		t.Errorf("%d reports and %d other texts are lost again", reports, rest)
	}
	if q.size != 0 {
		t.Errorf("%d bytes wait when all is written", q.size)
	}

	// One that is longer than all that may wait is written if nothing else waits.
	long := NewText(7, true)
	long.N = maxWaiting + 1
	long.Send()
	next := NextText()
	if next != long {
		t.Fatal("a long text is lost though nothing waits")
	}
	Written(next, true)
}
