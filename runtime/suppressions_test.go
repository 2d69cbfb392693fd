// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatchRules(t *testing.T) {
	put, get, _ := appMain()
	for _, test := range []struct {
		rules, name string
		want        bool
		used        uint64
	}{
		{"", "", false, 0},
		{"appPut$", "", true, 1},
		{"appGet$", "", true, 1}, // of the second call
		{"app/cache.go$", "", true, 1},
		{"app/main.go", "", true, 1}, // a frame further out
		{"nowhere\nappGet", "", true, 2},
		{"appPut\nnowhere\nappGet", "", true, 5},
		{"^Server.cache$", "Server.cache", true, 1},
		{"^Server.cache$", "", false, 0},
		{"nowhere", "Server.cache", false, 0},
	} {
		restore(t)
		suppress(test.rules)
		first, second := &logger{stack: put}, &logger{stack: get}
		ok := makeRace(t, first, second, callOf(store, 1, 2), callOf(load, 1, 2, true),
			func(r *race) {
				f := &finding{decl: declaration{name: test.name}}
				if got := matchRules(r, f, ""); got != test.want || usedRules() != test.used {
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
	put, get, _ := appMain()
	var got strings.Builder
	const n = 300
	for i := range n {
		fmt.Fprintf(&got, "nowhere%d %s\n", i, strings.Repeat("x", 500))
	}
	got.WriteString("appGet\n")
	file := filepath.Join(t.TempDir(), "rules")
	if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	parse("suppressions=" + file)
	if !ruledOut(siteOf(get), siteOf(put)) {
		t.Error("the last rule doesn't hold")
	}
	if len(rules) != n+1 || !rules[n].used {
		t.Errorf("%d rules; the last is used: %v", len(rules), rules[len(rules)-1].used)
	}
	b := new(buffer)
	summary(b)
	if got := strings.Count(b.string(), "is unused\n"); got != n ||
		strings.Contains(b.string(), "suppression appGet is") {
		t.Errorf("%d rules are unused, want %d", got, n)
	}
}
