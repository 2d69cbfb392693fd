// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"go/types"
	"testing"

	"github.com/commutego/commute/analyzer/annotation"
	"github.com/commutego/commute/ecl"
)

// TestDraftAccepted drafts the types of packages that have methods of all shapes; each draft is a
// specification without a fault, and fits its type.
func TestDraftAccepted(t *testing.T) {
	drafts := 0
	for _, path := range []string{"bytes", "container/list", "container/heap", "context",
		"database/sql", "flag", "io", "io/fs", "log", "math/rand", "net/http", "net/url", "reflect",
		"sort", "sync", "sync/atomic", "testing", "text/template", "time"} {
		p, err := load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range p.Types.Scope().Names() {
			if _, ok := p.Types.Scope().Lookup(name).(*types.TypeName); !ok {
				continue
			}
			s, err := newSkeleton(p, name)
			if err != nil {
				t.Logf("%s: %v", path, err)
				continue
			}
			if len(s.methods) > 40 {
				continue // reflect.Value, thousands of pairs
			}
			list, err := ecl.Parse("draft.ecl", 1, 1, s.String())
			if err != nil || len(list) != 1 || list[0].TypeName() != path+"."+name {
				t.Fatalf("%v\n%s", err, s)
			}
			if _, errs := annotation.Hold(p.Syntax, list); len(errs) > 0 {
				t.Errorf("%s.%s: %v", path, name, errs)
			}
			drafts++
		}
	}
	if drafts < 100 {
		t.Errorf("only %d drafts", drafts)
	}
}

func TestObserves(t *testing.T) {
	for name, want := range map[string]bool{
		"Get": true, "GetAll": true, "IsEmpty": true, "Len": true, "Length": false, "Issue": false,
		"GetOrCreate":   false,
		"LoadAndDelete": false, "Load": true, "Put": false, "HasKey": true, "Hash": false,
		"Counter": false, "Count": true,
	} {
		if got := observes(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
