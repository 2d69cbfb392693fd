// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestPerturbSeed draws seeds: the first is the one that is asked for, and none is there twice.
func TestPerturbSeed(t *testing.T) {
	if s := perturbSeed(77, "TestA", 0); s != 77 {
		t.Errorf("the first seed is %d", s)
	}
	seen := make(map[uint64]bool)
	for _, test := range []string{"TestA", "TestB"} {
		for i := 1; i < 1000; i++ {
			s := perturbSeed(77, test, i)
			if seen[s] || s >= 1<<seedBits {
				t.Fatalf("seed %d of run %d", s, i)
			}
			seen[s] = true
		}
	}
}

// TestPerturb perturbs programs as a user does: one that is wrong fails, with a seed by which
// others may be made, and one that is right does not.
func TestPerturb(t *testing.T) {
	longtest.Need(t, "the standard library is built to be perturbed")
	b := build(t, "explore", "")
	os.Unsetenv(PlanVariable)
	const name = "TestWrongLostUpdate"
	out, errs, code := b.commute(t, "test", "-explore=200", "-explore_perturb", "-v", "-run",
		"^"+name+"$|^TestRightLostUpdate$", ".")
	if code != 1 || !strings.HasPrefix(errs, "commute: schedules are not controlled "+
		"(-explore_perturb): goroutines are held up at random instead, and a failure can't be "+
		"replayed exactly\n") || !strings.Contains(errs, "\ncommute: perturbed 2 tests: ") ||
		!strings.Contains(errs, "; 1 test failed\n") {
		t.Fatalf("code %d\n%s%s", code, out, errs)
	}
	for _, want := range []string{
		`(?m)^--- FAIL: ` + name + ` \(perturbed: run \d+ of 200\)$`,
		`(?m)^--- PASS: TestRightLostUpdate \(`,
		`(?m)^    perturbed TestRightLostUpdate: 200 runs$`,
		`(?m)^    it has failed again in \d+ of 10 runs by the same seed: `,
		`(?m)^    begin with that seed: commute test -explore -explore_perturb ` +
			`-explore_seed=\d+ -run '\^` + name + `\$' \S+$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s:\n%s", want, out)
		}
	}
}
