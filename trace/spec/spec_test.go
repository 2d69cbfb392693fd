// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spec

import "testing"

// TestTable wants every kind that has a number to be in the table, once, with arguments that records have room for, and kinds of
// events to fit into five bits.
func TestTable(t *testing.T) {
	if Split >= FirstDefinition || Split > 31 || FirstDefinition != Meta {
		t.Errorf("events end at %d, definitions begin at %d", Split, Meta)
	}
	kinds := Kinds()
	for k := range lastKind {
		is := k >= Go && k <= Split || k >= Meta
		info := k.Info()
		if is != (info != nil) {
			t.Errorf("that kind %d is in the table is %v", k, info != nil)
		}
		if info == nil {
			continue
		}
		if kinds[info.Name] != k {
			t.Errorf("kinds %d and %d are both %s", k, kinds[info.Name], info.Name)
		}
		if len(info.Args) > MaxArgs {
			t.Errorf("%v has %d arguments", k, len(info.Args))
		}
		if k < FirstDefinition && len(info.Args) > 3 {
			t.Errorf("%v has %d arguments, more than a step is kept with", k, len(info.Args))
		}
		if info.Step && k >= FirstDefinition {
			t.Errorf("%v is a definition, and a step", k)
		}
		names := make(map[string]bool)
		for _, arg := range info.Args {
			if arg.Name == "" || arg.Name == "pos" && info.Step || names[arg.Name] {
				t.Errorf("%v has an argument %q", k, arg.Name)
			}
			names[arg.Name] = true
			if arg.Type > Text || arg.Type == Text && k < FirstDefinition {
				t.Errorf("%v has an argument of type %d", k, arg.Type)
			}
		}
	}
	if lastKind.Info() != nil || Kind(0).Info() != nil || Kind(255).Info() != nil {
		t.Error("there are kinds beyond the table")
	}
}
