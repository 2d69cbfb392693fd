// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/internal/bench/tracebench"
)

// TestRD2 has commute bench papers build the store in all ways, and run it for a moment. (It's here
// as the standard library is built, once, for all that is.)
func TestRD2(t *testing.T) {
	if os.Getenv(runsVariable) == "" {
		t.Skipf("builds the store in five ways: %s is not set", runsVariable)
	}
	tool := commute(t)
	dir := t.TempDir()
	o := tracebench.Options{
		Commute: tool, Tables: []string{"rd2"}, Operations: 400, Rounds: 1,
		Timeout: 5 * time.Minute, Plots: dir,
		Home: dir,
	}
	t.Setenv("COMMUTE", "halt_on_error=1") // the user's own options must not matter
	var b strings.Builder
	if err := tracebench.Run(t.Context(), &b, o); err != nil {
		t.Fatal(err)
	}
	watched := `\d[\d.]*x`
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		watched = `(?:\d[\d.]*x)?`
	}
	for _, circuit := range []string{"ComplexConcurrency",
		`ComplexConcurrency \(alternate query distrib\.\)`, "QueryCentricConcurrency",
		"InsertCentricConcurrency", "Complex", "NestedLists"} {
		want := `(?m)^\| ` + circuit + ` \| [14] \| [\d.]+k?/s \|.*\| ` + watched +
			` \| \d[\d.]*x \| ` + watched + ` \|.*\| 0? \| \d+ \([012]\) \|`
		if !regexp.MustCompile(want).MatchString(b.String()) {
			t.Errorf("no row %s in\n%s", want, b.String())
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^- (.*?): `).FindAllStringSubmatch(b.String(), -1) {
		if m[1] != "sync.Map Store.chunks" && m[1] != "sync.Map Store.freed" {
			t.Errorf("a finding of %s in\n%s", m[1], b.String())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "rd2.svg")); err != nil {
		t.Error(err)
	}
}
