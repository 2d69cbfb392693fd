// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"testing"

	"github.com/commutego/commute/internal/toolchain/load"
	gopackages "golang.org/x/tools/go/packages"
)

func TestDump(t *testing.T) {
	list, err := gopackages.Load(&gopackages.Config{Dir: "../../testdata/drafts", Mode: gopackages.NeedName | gopackages.NeedFiles | gopackages.NeedSyntax | gopackages.NeedTypes | gopackages.NeedTypesInfo | gopackages.NeedImports}, ".")
	if err != nil {
		t.Fatal(err)
	}
	p := list[0]
	for _, name := range []string{"LRU", "TTL", "Counters", "Pool", "Registry", "Set", "Queue", "EventLog", "Limiter", "Sessions"} {
		ms, err := Methods(load.Checked(p.Fset, p.Syntax, p.Types, p.TypesInfo), name)
		t.Log(name, err)
		for _, m := range ms {
			t.Logf("  %+v", m)
		}
	}
}
