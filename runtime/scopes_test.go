// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"testing"

	"github.com/commutego/commute/internal/engine/tests"
)

// TestExcused has expectations, nested, and scopes in which nothing counts, by goroutines that
// begin and end them, or are started inside.
func TestExcused(t *testing.T) {
	root := Main()
	root.TestBegin(true, "T")
	test := func(parent *Goroutine) *Goroutine {
		g := Fork(parent, 1, 0, stackOf)
		g.TestBegin(false, "T")
		return g
	}
	other := test(root)
	g := test(root)
	before := Fork(g, 2, 0, stackOf)
	outer := g.Expect(tests.ExpectRace)
	inside := Fork(g, 2, 0, stackOf)
	sub := test(inside)
	inner := g.Expect(tests.ExpectViolation)
	within := Fork(g, 2, 0, stackOf)
	for _, c := range []struct {
		name string
		a, b *Goroutine
		kind uint32
		want bool
	}{
		{"both sides", inside, inside, tests.ExpectRace, true},
		{"a subtest", sub, inside, tests.ExpectRace, true},
		{"a violation of a check", inside, inside, tests.ExpectCheckThenAct, true},
		{"another kind", inside, inside, tests.ExpectDataRace, false},
		{"the test's own", inside, before, tests.ExpectRace, true},
		{"the test's own, first", before, inside, tests.ExpectRace, true},
		{"of no test", inside, root, tests.ExpectRace, true},
		{"of another test", inside, other, tests.ExpectRace, false},
		{"of another test, first", other, inside, tests.ExpectRace, false},
		{"outside", before, before, tests.ExpectRace, false},
		{"the inner kind", within, within, tests.ExpectViolation, true},
		{"the outer kind", within, within, tests.ExpectRace, true},
		{"the inner kind outside", inside, inside, tests.ExpectViolation, false},
	} {
		if got := tests.Excused(c.a.Test.P(), c.b.Test.P(), c.kind); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if !g.LeaveScope(inner) || !g.LeaveScope(outer) || g.Test != before.Test {
		t.Error("nothing was found")
	}
	if tests.Excused(inside.Test.P(), inside.Test.P(), tests.ExpectRace) {
		t.Error("an expectation that has ended counts")
	}
	if again := g.Expect(tests.ExpectRace); g.LeaveScope(again) {
		t.Error("what was found before counts")
	}
	tests.Charge(sub.Test.P().Charged(), inside.Test.P().Charged())
	if sub.Errors() != inside.Errors() || inside.Errors() != g.Errors() || other.Errors() != 0 {
		t.Error("what is found inside is not charged to the test")
	}
}

// TestIgnoring has one scope for each test, and none in another.
func TestIgnoring(t *testing.T) {
	root := Main()
	root.TestBegin(true, "T")
	for _, outside := range []bool{true, false} {
		g := Fork(root, 1, 0, stackOf)
		if !outside {
			g.TestBegin(false, "T")
		}
		before := g.Test
		first := g.Ignore()
		late := Fork(g, 1, 0, stackOf)
		if g.Ignore() != 0 || first == 0 {
			t.Error("a scope in a scope")
		}
		if !tests.Excused(g.Test.P(), nil, tests.ExpectRace) ||
			!tests.Excused(nil, late.Test.P(), tests.ExpectDataRace) {
			t.Error("not ignored")
		}
		if g.LeaveScope(first) || g.Test != before ||
			tests.Excused(g.Test.P(), nil, tests.ExpectRace) {
			t.Error("ignored outside")
		}
		if !tests.Excused(late.Test.P(), nil, tests.ExpectRace) {
			t.Error("a goroutine that was started inside is not ignored afterwards")
		}
		if again := g.Ignore(); again != first {
			t.Errorf("scope %d, then %d", first, again)
		}
		e := g.Expect(tests.ExpectRace)
		if !tests.Excused(g.Test.P(), g.Test.P(), tests.ExpectRace) || g.LeaveScope(e) {
			t.Error("what is ignored was expected")
		}
	}
}
