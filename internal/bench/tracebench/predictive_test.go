// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracebench

import (
	"strings"
	"testing"
	"time"
)

// TestMeasured is of made-up output of commute analyze, and of made-up times.
func TestMeasured(t *testing.T) {
	all := make(map[string]*measured)
	for _, check := range predictive {
		all[check] = &measured{trial: trial{result: result{timeout: true}}}
	}
	quick := &measured{memory: "5 MB"}
	quick.took = 1500 * time.Millisecond
	if err := quick.read([]byte(`{"checks":[{"check":"avp",
		"blocks":{"n":9,"filtered":4,"found":3,"none":0,"gave_up":2}}]}`)); err != nil {
		t.Fatal(err)
	}
	slow := &measured{}
	slow.took = 2 * time.Second
	if !quick.less(slow) || slow.less(quick) || !slow.less(all["avp"]) || all["avp"].less(slow) {
		t.Error("the order of times is wrong")
	}
	all["avp"] = quick
	var b strings.Builder
	printMeasured(&b, "late", all)
	printOutcomes(&b, []string{"late"}, []map[string]*measured{all})
	for _, want := range []string{
		"| late | 1.50 s, 5 MB | timeout | timeout | timeout | timeout | timeout |\n",
		"| late | 4 / 3 / 0 / 2 | - | - | - | - | - |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not there:\n%s", want, b.String())
		}
	}
	for _, bad := range []string{"", `{"error":"no"}`, `{"checks":[]}`} {
		if err := quick.read([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	o := Options{Traces: t.TempDir()}
	if err := o.predictiveReal(&b); err == nil || !strings.Contains(err.Error(), "-traces") {
		t.Errorf("a folder without traces: %v", err)
	}
}
