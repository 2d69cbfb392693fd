// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spec

import (
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestInfoOf wants what traces have, and nothing that only the watched program has.
func TestInfoOf(t *testing.T) {
	kinds := Kinds()
	for k := range event.Kind(255) {
		info := InfoOf(k)
		if info != nil &&
			(info.Name != k.Name() || kinds[info.Name] != k || len(info.Args) > MaxArgs) {
			t.Errorf("kind %d is %+v", k, info)
		}
		online := k >= event.ReleaseAcquire && k <= event.AtomicDone
		if known := k.Name() != "no kind" && !online; known != (info != nil) {
			t.Errorf("that kind %d, %v, is in traces is %v", k, k, info != nil)
		}
	}
	if event.Split >= FirstDefinition || FirstDefinition != event.Meta {
		t.Errorf("events end at %d, definitions begin at %d", event.Split, event.Meta)
	}
}
