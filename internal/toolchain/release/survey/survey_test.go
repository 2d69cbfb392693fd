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

// TestTable surveys the release on PATH: the tables have all that commute relies on now.
func TestTable(t *testing.T) {
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
	rows, err := Rows(Source{env.GOROOT, env.GOVERSION}, config, Platforms[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Lacks(rows) {
		t.Errorf("%s of %s/%s (%s) is not in the table: run go run "+
			"./internal/toolchain/checkrelease -write", r.Name, r.Package, r.File, r.Why)
	}
	// One of each kind.
	for _, want := range []release.Row{
		{Package: "runtime", File: "race0.go", Name: release.WholeFile, Why: release.Replaced},
		{Package: "runtime", File: "malloc_generated.go", Name: release.WholeFile,
			Why: release.Patched},
		{Package: "runtime", File: "chan.go", Name: "racesync", Why: release.Patched},
		{Package: "runtime", File: "malloc.go", Name: "runtimeFreegcEnabled", Why: release.Patched},
		{Package: "reflect", File: "makefunc.go", Name: "moveMakeFuncArgPtrs",
			Why: release.Patched},
		{Package: "internal/sync", File: "hashtriemap.go", Name: "HashTrieMap",
			Why: release.Patched},
		{Package: "runtime", File: "proc.go", Name: "newproc1", Why: release.Announces},
		{Package: "sync", File: "waitgroup.go", Name: "(*WaitGroup).Wait", Why: release.Announces},
		{Package: "runtime", File: "runtime2.go", Name: "g.racectx", Why: release.Used},
		{Package: "runtime", File: "mheap.go", Name: "(*mspan).base", Why: release.Used},
		{Package: "runtime", File: "runtime2.go", Name: "waitReasonChanSend", Why: release.Used},
		// by its name
		{Package: "runtime", File: "mfinal.go", Name: "createfing", Why: release.Used},
		{Package: "internal/abi", File: "type.go", Name: "Type.Equal", Why: release.Used},
		{Package: "internal/abi", File: "type.go", Name: "(*Type).Kind", Why: release.Used},
	} {
		if !slices.ContainsFunc(rows, func(r release.Row) bool {
			return r.Package == want.Package && r.File == want.File && r.Name == want.Name &&
				r.Why == want.Why && len(r.Hashes) == 1
		}) {
			t.Errorf("no row %+v", want)
		}
	}
}
