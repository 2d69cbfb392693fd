// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"strings"
	"testing"

	"github.com/commutego/commute/ecl"
)

// TestHandOn sends the specification of an interface through an archive.
func TestHandOn(t *testing.T) {
	text := "//ecl:observer Get(k)/v\n//ecl:commute Get(k1)/v1, Put(k2): k1 != k2\n//ecl:commute " +
		"Put(k1), Put(k2): k1 < \"\\n\" && k2 < \"\\n\""
	specs, err := ecl.Parse("store/store.go", 7, 3, text)
	if err != nil {
		t.Fatal(err)
	}
	s := specs[0]
	s.Name, s.Abstract = "Store", true
	archive := "\x00\x01" + specBegin + s.Pack() + specEnd + "more" + specBegin + s.Pack() +
		specEnd + specBegin + "cut off"
	list := handed("example.com/store", []byte(archive), specBegin)
	if len(list) != 1 {
		t.Fatalf("%d specifications", len(list))
	}
	got := list[0].spec
	if got.TypeName() != "example.com/store.Store" || got.Pairs[0].Pos != s.Pairs[0].Pos ||
		got.Source() != text {
		t.Errorf("got %s, at %s\n%s", got.TypeName(), got.Pairs[0].Pos, got.Source())
	}
	again, err := got.Again("example.com/mem", "mem")
	if err != nil || again.TypeName() != "example.com/mem.mem" ||
		again.Pairs[0].Pos != s.Pairs[0].Pos {
		t.Errorf("again: %v, %v", again, err)
	}
	if code := string(handOn(specs)); len(handed("p", []byte(code), specBegin)) != 0 ||
		!strings.Contains(code, "commute:interface") {
		t.Errorf("declared as %s", code)
	}
	s.Abstract = false
	if code := string(handOn(specs)); !strings.Contains(code, "commute:type") ||
		strings.Contains(code, "commute:interface") {
		t.Errorf("declared as %s", code)
	}
	archive = specBegin + s.Pack() + specEnd + typeBegin + s.Pack() + specEnd
	if list := handed("p", []byte(archive), typeBegin); len(list) != 1 ||
		list[0].spec.Source() != text {
		t.Errorf("handed %v", list)
	}
}
