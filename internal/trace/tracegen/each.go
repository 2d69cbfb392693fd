// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"os"
	"strconv"
	"testing"
)

// countVariable is an environment variable with the number of random traces for [Each].
const countVariable = "COMMUTE_TRACES"

// Each checks count random traces, a tenth of them with -short, or as many as the environment says.
// It returns how many that were. A trace that fails is shrunk before it is logged.
func Each(t *testing.T, count int, check func(Trace) error) int {
	t.Helper()
	if testing.Short() {
		count /= 10
	}
	if v := os.Getenv(countVariable); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n <= 0 {
			t.Fatalf("%s is %q, want a number of traces", countVariable, v)
		}
		count = n
	}
	for seed := range uint64(count) {
		tr := Random(seed)
		if err := check(tr); err != nil {
			tr = Shrink(tr, func(tr Trace) bool { return check(tr) != nil })
			t.Fatalf("trace %d: %v\nthe least of it: %v\n%v", seed, err, check(tr), tr)
		}
	}
	return count
}
