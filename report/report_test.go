// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// recorded reads the findings of a check that package offline has recorded as JSON, and their text.
func recorded(t *testing.T, check string) (findings []*Finding, data, text string) {
	t.Helper()
	read := func(ext string) string {
		b, err := os.ReadFile(filepath.Join("../internal/offline/testdata", check+ext))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	data = read(".json")
	d := json.NewDecoder(strings.NewReader(data))
	d.DisallowUnknownFields()
	for d.More() {
		f := new(Finding)
		if err := d.Decode(f); err != nil {
			t.Fatal(err)
		}
		findings = append(findings, f)
	}
	return findings, data, read(".txt")
}

// TestRoundTrip wants JSON that was read to be written as it was, and to have the same text as the
// finding that it was made from.
func TestRoundTrip(t *testing.T) {
	for _, check := range []string{"frontier", "velodrome", "hb", "fasttrack", "commute"} {
		findings, data, want := recorded(t, check)
		var again, text strings.Builder
		for _, f := range findings {
			b, err := json.MarshalIndent(f, "", "\t")
			if err != nil {
				t.Fatal(err)
			}
			again.WriteString(string(b) + "\n")
			text.WriteString(f.Text())
		}
		if again.String() != data || len(findings) == 0 {
			t.Errorf("%s: written again:\n%s", check, again.String())
		}
		if text.String() != want {
			t.Errorf("%s: text of what was read:\n%s", check, text.String())
		}
	}
}

// TestPartial takes from findings what they can be without, field by field: their text still has
// the kind, and nothing panics.
func TestPartial(t *testing.T) {
	for _, check := range []string{"frontier", "velodrome", "hb", "commute"} {
		findings, _, _ := recorded(t, check)
		for _, f := range findings {
			for _, recorded := range []bool{true, false} {
				for i := range reflect.TypeFor[Finding]().NumField() {
					g := *f
					reflect.ValueOf(&g).Elem().Field(i).SetZero()
					g.Recorded = recorded
					g.Kind = f.Kind
					text := g.Text()
					if !strings.Contains(strings.ToLower(text), string(f.Kind)) {
						t.Errorf("%s without field %d: %s", f.Kind, i, text)
					}
				}
			}
		}
	}
	for _, recorded := range []bool{true, false} {
		if f := (&Finding{Recorded: recorded}); f.Text() == "" {
			t.Error("no text of an empty finding")
		}
	}
}

// TestSort has the worst first, and findings of one severity in their order.
func TestSort(t *testing.T) {
	var list []*Finding
	for i, e := range []Effect{"", StaleRead, Arbitration, LostUpdate, "new", StaleRead} {
		list = append(list, &Finding{Effect: e, Stacks: i})
	}
	Sort(list)
	var got []int
	for _, f := range list {
		got = append(got, f.Stacks)
	}
	if want := []int{3, 1, 5, 2, 0, 4}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
