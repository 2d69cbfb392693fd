// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package ecl

import (
	"strings"
	"testing"
)

// dictionary is figure 6 of the paper.
const dictionary = `//ecl:type dict.Dictionary
//ecl:commute put(k1, v1)/p1, put(k2, v2)/p2: k1 != k2 || (v1 == p1 && v2 == p2)
//ecl:commute put(k1, v1)/p1, get(k2)/v2: k1 != k2 || v1 == p1
//ecl:commute put(k1, v1)/p1, size()/r2: (v1 == nil && p1 == nil) || (v1 != nil && p1 != nil)
//ecl:commute get(k1)/v1, get(k2)/v2: true
//ecl:commute get(k1)/v1, size()/r2: true
//ecl:commute size()/r1, size()/r2: true
`

// figure7 is figure 7: what dictionary must come out as.
const figure7 = `dict.Dictionary
points: r:k, w:k, size, resize

put(k, v)/(p)                    w:k, resize                  v != p && !(v == nil && p == nil || v != nil && p != nil)
put(k, v)/(p)                    r:k, resize                  v == p && !(v == nil && p == nil || v != nil && p != nil)
put(k, v)/(p)                    w:k                          v != p && (v == nil && p == nil || v != nil && p != nil)
put(k, v)/(p)                    r:k                          v == p && (v == nil && p == nil || v != nil && p != nil)
get(k)/(v)                       r:k
size()/(r)                       size

r:k     .
w:k     = =
size    . . .
resize  . . x .
`

func parse1(t testing.TB, text string) *Spec {
	t.Helper()
	specs, err := Parse("f.ecl", 1, 1, text)
	if err != nil {
		t.Fatal(err)
	}
	return specs[0]
}

func TestFigure7(t *testing.T) {
	tb, err := Compile(parse1(t, dictionary))
	if err != nil {
		t.Fatal(err)
	}
	if got := trimLines(tb.String()); got != figure7 {
		t.Errorf("got\n%s\nwant\n%s", got, figure7)
	}
	if len(tb.Methods[0].Keys) != 1 || len(tb.Methods[2].Keys) != 0 {
		t.Errorf("keys %v, %v", tb.Methods[0].Keys, tb.Methods[2].Keys)
	}
}

func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// TestEncode is a whole encoding.
func TestEncode(t *testing.T) {
	tb, err := Compile(parse1(t, `//ecl:type a/b.T
//ecl:observer Get(k)/(v)
//ecl:mutator Put(k, v)/(p)
//ecl:callback Put(_, v)
//ecl:shadow Put(k, v)/(p): put(k, v)
//ecl:commute Put(k1, v1)/p1, Get(k2): k1 != k2 || v1 == p1
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:also Put(k1, v1), Put(k2, v2): v1 == v2
`))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(`ecl1
type a/b.T
method 0 Get o - k v 1
method 1 Put m c k,v p 0
keys 0 0
keys 1 0
point 0 k r:k
point 1 k w:k
point 2 k w2:k
conflict 0 1
conflict 1 1
conflict 1 2
conflict 2 2
touch 0 0 0:0
touch 1 0 1:0
touch 1 1 2:0
formula 0 1 f.ecl:6:40 Put(k1,~v1)/p1,~Get(k2):~k1~!=~k2~||~v1~==~p1
formula 1 1 f.ecl:7:41 Put(k1,~v1),~Put(k2,~v2):~k1~!=~k2
formula 0 0 f.ecl:1:7 Get(k)/(v),~Get(k)/(v):~true
also 1 1 1=1
end
`, " ", "\t")
	got := tb.encode()
	want = strings.ReplaceAll(want, "~", " ")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
