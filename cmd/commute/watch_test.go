// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/explore"
)

// TestWatchFlags has the runs for which repeated accesses are announced as well.
func TestWatchFlags(t *testing.T) {
	for _, test := range []struct {
		name   string
		own    setting
		marked bool
		want   string
	}{
		{"data races", setting{datarace: true}, false, "-commutewatch -commuteonce"},
		{"code marked as atomic", setting{datarace: true}, true, "-commutewatch"},
		{"trace", setting{datarace: true, trace: "x.trace"}, false, "-commutewatch"},
		{"predictions", setting{datarace: true, predict: true}, false, "-commutewatch"},
		{"exploration", setting{datarace: true, explore: new(explore.Plan)}, false,
			"-commutewatch"},
	} {
		if got := strings.Join(watchFlags(test.own, test.marked), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
