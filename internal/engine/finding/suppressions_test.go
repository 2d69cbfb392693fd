// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/report"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

func TestMatchRules(t *testing.T) {
	put, get, _ := fixture.AppMain()
	for _, test := range []struct {
		rules, name string
		want        bool
		used        uint64
	}{
		{"", "", false, 0},
		{"AppPut$", "", true, 1},
		{"AppGet$", "", true, 1}, // of the second call
		{"app/cache.go$", "", true, 1},
		{"app/main.go", "", true, 1}, // a frame further out
		{"nowhere\nAppGet", "", true, 2},
		{"AppPut\nnowhere\nAppGet", "", true, 5},
		{"^Server.cache$", "Server.cache", true, 1},
		{"^Server.cache$", "", false, 0},
		{"nowhere", "Server.cache", false, 0},
	} {
		restore(t)
		fixture.Suppress(test.rules)
		first, second := &logger{stack: put}, &logger{stack: get}
		ok := makeRace(t, first, second, fixture.CallOf(fixture.Store, 1, 2),
			fixture.CallOf(fixture.Load, 1, 2, true),
			func(r *report.Race) {
				f := &report.Finding{Decl: source.Declaration{Name: test.name}}
				if got := suppressedRace(r, f, ""); got != test.want || usedRules() != test.used {
					t.Errorf("rules %q: match: %v, used: %b; want %v, %b", test.rules, got,
						usedRules(),
						test.want, test.used)
				}
			})
		if !ok {
			t.Fatal("no race")
		}
	}
}

// TestManyRules has more rules than there are bits in a word, in a file longer than any buffer: all
// of them hold, and the use of each is known.
func TestManyRules(t *testing.T) {
	restore(t)
	put, get, _ := fixture.AppMain()
	var got strings.Builder
	const n = 300
	for i := range n {
		fmt.Fprintf(&got, "nowhere%d %s\n", i, strings.Repeat("x", 500))
	}
	got.WriteString("AppGet\n")
	file := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	option.Parse("suppressions=" + file)
	if !suppressedSites(fixture.SiteOf(get), fixture.SiteOf(put)) {
		t.Error("the last rule doesn't hold")
	}
	if len(option.Suppressions) != n+1 || !option.Suppressions[n].Used {
		t.Errorf("%d rules; the last is used: %v", len(option.Suppressions),
			option.Suppressions[len(option.Suppressions)-1].Used)
	}
	b := new(text.Buffer)
	summary(b)
	if got := strings.Count(b.String(), "is unused\n"); got != n ||
		strings.Contains(b.String(), "suppression AppGet is") {
		t.Errorf("%d rules are unused, want %d", got, n)
	}
}
