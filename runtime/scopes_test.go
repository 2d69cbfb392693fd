// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"testing"
)

// TestExcused has expectations, nested, and scopes in which nothing counts, by goroutines that
// begin and end them, or are started inside.
func TestExcused(t *testing.T) {
	root := Main()
	root.TestBegin(true, "T")
	test := func(parent *Goroutine) *Goroutine {
		g := Fork(parent, 1, 0, pcsOf, 0)
		g.TestBegin(false, "T")
		return g
	}
	other := test(root)
	g := test(root)
	before := Fork(g, 2, 0, pcsOf, 0)
	outer := g.Expect(expectRace)
	inside := Fork(g, 2, 0, pcsOf, 0)
	sub := test(inside)
	inner := g.Expect(expectViolation)
	within := Fork(g, 2, 0, pcsOf, 0)
	for _, c := range []struct {
		name string
		a, b *Goroutine
		kind uint32
		want bool
	}{
		{"both sides", inside, inside, expectRace, true},
		{"a subtest", sub, inside, expectRace, true},
		{"a breach of a check", inside, inside, expectCheckThenAct, true},
		{"another kind", inside, inside, expectDataRace, false},
		{"the test's own", inside, before, expectRace, true},
		{"the test's own, first", before, inside, expectRace, true},
		{"of no test", inside, root, expectRace, true},
		{"of another test", inside, other, expectRace, false},
		{"of another test, first", other, inside, expectRace, false},
		{"outside", before, before, expectRace, false},
		{"the inner kind", within, within, expectViolation, true},
		{"the outer kind", within, within, expectRace, true},
		{"the inner kind outside", inside, inside, expectViolation, false},
	} {
		if got := excused(c.a.test.P(), c.b.test.P(), c.kind); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !g.LeaveScope(inner) || !g.LeaveScope(outer) || g.test != before.test {
		t.Error("nothing was found")
	}
	if excused(inside.test.P(), inside.test.P(), expectRace) {
		t.Error("an expectation that has ended counts")
	}
	if again := g.Expect(expectRace); g.LeaveScope(again) {
		t.Error("what was found before counts")
	}
	charge(sub.test.P().charged(), inside.test.P().charged())
	if sub.Errors() != inside.Errors() || inside.Errors() != g.Errors() || other.Errors() != 0 {
		t.Error("what is found inside is not charged to the test")
	}
}

// TestIgnoring has one scope for each test, and none in another.
func TestIgnoring(t *testing.T) {
	root := Main()
	root.TestBegin(true, "T")
	for _, outside := range []bool{true, false} {
		g := Fork(root, 1, 0, pcsOf, 0)
		if !outside {
			g.TestBegin(false, "T")
		}
		before := g.test
		first := g.Ignore()
		late := Fork(g, 1, 0, pcsOf, 0)
		if g.Ignore() != 0 || first == 0 {
			t.Error("a scope in a scope")
		}
		if !excused(g.test.P(), nil, expectRace) || !excused(nil, late.test.P(), expectDataRace) {
			t.Error("not ignored")
		}
		if g.LeaveScope(first) || g.test != before || excused(g.test.P(), nil, expectRace) {
			t.Error("ignored outside")
		}
		if !excused(late.test.P(), nil, expectRace) {
			t.Error("a goroutine that was started inside is not ignored afterwards")
		}
		if again := g.Ignore(); again != first {
			t.Errorf("scope %d, then %d", first, again)
		}
		e := g.Expect(expectRace)
		if !excused(g.test.P(), g.test.P(), expectRace) || g.LeaveScope(e) {
			t.Error("what is ignored was expected")
		}
	}
}
