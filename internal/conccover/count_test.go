// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package conccover

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// slowSum counts pairs as the documentation of the counts says, in sets of texts.
func slowSum(p *Profile, c Count) (covered, all int) {
	counts, done := make(map[string]bool), make(map[string]bool)
	key := func(o Object, a, b string) string { return fmt.Sprint(o, min(a, b), max(a, b)) }
	of := func(o Object, op Operation) string {
		if o.Kind == Lock || c == ByPlaces {
			return op.Place + op.Method
		}
		return op.Method
	}
	for o, ops := range p.ops {
		for a := range ops {
			for b := range ops {
				may := p.types[o.Type][Methods{a.Method, b.Method}] ||
					p.types[o.Type][Methods{b.Method, a.Method}]
				if o.Kind == Call && may && c == ByMethods ||
					o.Kind == Lock && c != ByPlaces && o.Name != Nameless &&
						!(a.Method == "RLock" && b.Method == "RLock") {
					counts[key(o, of(o, a), of(o, b))] = true
				}
			}
		}
	}
	if c == ByTypes {
		for name, pairs := range p.types {
			for m := range pairs {
				counts[key(Object{Call, name, ""}, m[0], m[1])] = true
			}
		}
	}
	for pair, s := range p.pairs {
		o := pair.Object
		k := key(o, of(o, pair.First), of(o, pair.Second))
		if c == ByTypes && o.Kind == Call {
			o.Name = ""
			k = key(o, pair.First.Method, pair.Second.Method)
		}
		if c == ByPlaces && (s == Alone || s == NotRun) {
			continue
		}
		counts[k] = true
		if s == Unordered || o.Kind == Lock && s == Both {
			done[k] = true
		}
	}
	return len(done), len(counts)
}

// TestCounts has random profiles, counted in each way and by the oracle.
func TestCounts(t *testing.T) {
	most := 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 4))
		p := merged(randomProfile(r), randomProfile(r), randomProfile(r))
		for _, c := range []Count{ByMethods, ByPlaces, ByTypes} {
			covered, all := Sum(p.Groups(c))
			want, wantAll := slowSum(p, c)
			if covered != want || all != wantAll {
				t.Fatalf("seed %d, %s: %d of %d pairs, want %d of %d\n%s", seed, c, covered, all, want,
					wantAll, p.Format())
			}
			most = max(most, covered)
		}
	}
	if most < 3 {
		t.Errorf("at most %d pairs are covered", most)
	}
}

// TestPercent rounds down, so that nothing but all is 100%.
func TestPercent(t *testing.T) {
	for _, test := range []struct {
		covered, all int
		want         string
	}{
		{0, 0, "[no pairs]"}, {0, 7, "0.0% of pairs (0 of 7)"}, {49, 80, "61.2% of pairs (49 of 80)"},
		{9999, 10000, "99.9% of pairs (9999 of 10000)"}, {3, 3, "100.0% of pairs (3 of 3)"},
	} {
		if got := Part(test.covered, test.all); got != test.want {
			t.Errorf("%d of %d: %q, want %q", test.covered, test.all, got, test.want)
		}
	}
	if Percent(0, 0) != 100 || Percent(1, 4) != 25 {
		t.Errorf("%v and %v", Percent(0, 0), Percent(1, 4))
	}
}

var update = flag.Bool("update", false, "write the files of testdata anew")

// TestGolden has the table, the lists and the page of one profile.
func TestGolden(t *testing.T) {
	p, err := Read(filepath.Join("testdata", "c.out"))
	if err != nil {
		t.Fatal(err)
	}
	from := NewSources(filepath.Join("testdata", "m"))
	for name, write := range map[string]func(b *strings.Builder) error{
		"table.golden":   func(b *strings.Builder) error { return Table(b, p.Groups(ByMethods)) },
		"methods.golden": func(b *strings.Builder) error { return Missing(b, p.Groups(ByMethods)) },
		"places.golden":  func(b *strings.Builder) error { return Missing(b, p.Groups(ByPlaces)) },
		"types.golden":   func(b *strings.Builder) error { return Table(b, p.Groups(ByTypes)) },
		"page.golden":    func(b *strings.Builder) error { return HTML(b, p, p.Groups(ByMethods), from) },
	} {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || b.String() != string(want) {
			t.Errorf("%s is\n%s\nwant\n%s (error %v); -update writes it anew", name, &b, want, err)
		}
	}
}

// TestPage holds what a page must not have, and that the source and its lines are in it.
func TestPage(t *testing.T) {
	p := new(Profile)
	evil := Operation{"<b>", "example.com/m/m.go:12"}
	p.addOp(Object{Call, "<i>", "<u>"}, evil)
	p.addPair(Object{Call, "<i>", "<u>"}, evil, Operation{"Get", "no.example/gone/x.go:3"}, Before)
	var b strings.Builder
	from := NewSources(filepath.Join("testdata", "m"))
	if err := HTML(&b, p, p.Groups(ByMethods), from); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<i>", "<u>", "<script", "http:", "https:", " src=", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"default-src 'none'", "&lt;u&gt;", "s.users.Store(name, 1)",
		`id="f1l12" class="none"`, "the file was not found", `href="#f1l12"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
}
