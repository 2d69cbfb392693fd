// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestForetold has check avp find in a recorded trace what the program could have done, and nothing
// else.
func TestForetold(t *testing.T) {
	longtest.Same(t)
	t.Parallel()
	b := build(t, commute(t), "transactions")
	names, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	// What these would do next depends on what they read.
	missed := []string{
		"TestRacePredictedTwoIncrements", "TestRacePredictedTwoConditions",
		"TestRacePredictedWithdraw",
	}
	// The run keeps sections of a lock in their order, and here they can change places.
	more := []string{
		"TestNoRacePredictedStopped", "TestNoRacePredictedChannels", "TestNoRacePredictedGroups",
		"TestNoRacePredictedAttempt",
	}
	judged := 0
	for _, name := range names {
		if !strings.Contains(name, "Predicted") {
			continue
		}
		_, out := recorded(t, b, name, "races")
		found := analyzed(t, out, []string{"avp"}, "races")[0] > 0
		want := strings.HasPrefix(name, "TestRace") && !slices.Contains(missed, name) ||
			slices.Contains(more, name)
		if found != want {
			t.Errorf("%s: found: %v, want %v", name, found, want)
		}
		judged++
	}
	if judged < 30 {
		t.Errorf("%d tests, want at least 30", judged)
	}
}
