// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package survey

import (
	"slices"
	"testing"

	"github.com/commutego/commute"
	"github.com/commutego/commute/internal/toolchain/goenv"
	"github.com/commutego/commute/internal/toolchain/goversion"
	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/release"
	"github.com/commutego/commute/internal/toolchain/toolexec"
)

// TestExploreTable surveys the release on PATH where schedules are explored: the two tables have
// all that commute relies on then.
func TestExploreTable(t *testing.T) {
	env, err := goenv.Read("go", nil)
	if err != nil {
		t.Skip(err)
	}
	minor, _ := goversion.Minor(env.GOVERSION)
	table, ok, err := release.ForExplore(minor)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		t.Skipf("schedules are not explored with %s", env.GOVERSION)
	}
	config := toolexec.Config{Engine: commute.Engine(), Templates: patch.Templates(),
		Specs: toolexec.Shipped}
	rows, err := exploreRows(Source{env.GOROOT, env.GOVERSION}, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Lacks(rows) {
		t.Errorf("%s of %s/%s (%s) is not in the table: run go run "+
			"./internal/toolchain/checkrelease -write", r.Name, r.Package, r.File, r.Why)
	}
	for _, name := range []string{"park_m", "schedule", "(*timers).check", "waitReasonGCSweepWait"} {
		if !slices.ContainsFunc(table.Rows, func(r release.Row) bool { return r.Name == name }) {
			t.Errorf("%s is not in the table", name)
		}
	}
	if err := release.VerifyExplore(env.GOROOT, env.GOVERSION); err != nil {
		t.Error(err)
	}
}

// TestPerturb surveys the release on PATH where schedules are perturbed, on all platforms: commute
// relies on nothing then that is not in the table of all builds.
func TestPerturb(t *testing.T) {
	env, err := goenv.Read("go", nil)
	if err != nil {
		t.Skip(err)
	}
	minor, _ := goversion.Minor(env.GOVERSION)
	table, err := release.For(minor)
	if err != nil {
		t.Fatal(err)
	}
	config := toolexec.Config{Engine: commute.Engine(), Templates: patch.Templates(),
		Specs: toolexec.Shipped}
	rows, err := perturbRows(Source{env.GOROOT, env.GOVERSION}, config)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Lacks(rows) {
		t.Errorf("%s of %s/%s (%s) is not in the table", r.Name, r.Package, r.File, r.Why)
	}
}
