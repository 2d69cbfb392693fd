// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/commutego/commute/internal/longtest"
)

// TestOrderOfAtomics has atomic operations at the same moment. Whether a transaction was broken by
// them is known by what they saw: it's reported only if it was. It's always reported but where an
// operation that reads and writes is announced when there is nothing yet that it could conflict
// with, and made when there is.
func TestOrderOfAtomics(t *testing.T) {
	longtest.Same(t)
	b := build(t, commute(t), "transactions")
	const rounds = 5000
	for _, procs := range []string{"2", "8"} {
		cmd := exec.Command(b.Path, "-test.v", "-test.run=^TestOrderOfAtomics$")
		cmd.Dir = b.Dir
		cmd.Env = append(os.Environ(), "COMMUTE_TRANSACTIONS_ROUNDS="+strconv.Itoa(rounds),
			"GOMAXPROCS="+procs)
		out, _ := cmd.CombinedOutput()
		broken := make(map[string]bool)
		for _, m := range regexp.MustCompile(`(?m)^broken: (\S+)$`).FindAllSubmatch(out, -1) {
			broken[string(m[1])] = true
		}
		type count struct{ rounds, broken, alarms, misses int }
		counts := make(map[string]*count)
		verdict := regexp.MustCompile(`(?m)^ +--- (PASS|FAIL): (TestOrderOfAtomics/([a-z]+)\S*)`)
		for _, m := range verdict.FindAllSubmatch(out, -1) {
			kind := string(m[3])
			if counts[kind] == nil {
				counts[kind] = new(count)
			}
			c := counts[kind]
			c.rounds++
			is, reported := broken[string(m[2])], string(m[1]) == "FAIL"
			if is {
				c.broken++
			}
			switch {
			case reported && !is:
				c.alarms++
			case is && !reported:
				c.misses++
			}
		}
		for _, kind := range []string{"loads", "compares", "swaps"} {
			c := counts[kind]
			if c == nil || c.rounds != rounds || c.alarms > 0 || c.misses > 0 && kind != "swaps" {
				t.Errorf("GOMAXPROCS=%s, %s: wrong", procs, kind)
			}
			t.Logf("GOMAXPROCS=%s, %s: %+v", procs, kind, c)
		}
	}
}
