// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strings"
	"testing"
)

var usual = params{calls: 2000, keys: 1024, own: 90, again: 30, outside: 80, transfer: 60}

// Lines move when a processor reads what another one has written, or writes what others have.
func TestAccess(t *testing.T) {
	l := line{kind: genLine}
	for _, test := range []struct {
		accesses string // of processors a and b; capitals write
		moved    int64
	}{
		{"AAaA", 0}, {"Ab", 1}, {"Abab", 1}, {"AbA", 2}, {"abA", 2}, {"ABAB", 3}, {"ab", 1},
	} {
		m := newMachine(1, 1)
		for _, c := range test.accesses {
			m.access(int(c|32)-'a', l, c < 'a')
		}
		if m.moved != test.moved {
			t.Errorf("%s: %d transfers, want %d", test.accesses, m.moved, test.moved)
		}
	}
}

// A processor alone waits for nobody. With one lock more processors make no more calls; divided, an
// object is called more often with each.
func TestSimulate(t *testing.T) {
	alone := simulate(usual, 1, 1, false)
	if alone.transfers != 0 || alone.ns < 165 || alone.ns > 175 {
		t.Errorf("one processor: %+v, want no transfers and 170 ns", alone)
	}
	if one := simulate(usual, 16, 1, false); one.ns < alone.ns {
		t.Errorf("16 processors and one lock: %.0f ns, less than the %.0f of one", one.ns, alone.ns)
	}
	last := alone.ns
	for n := 2; n <= maxProcs; n *= 2 {
		divided := simulate(usual, n, stripes, false)
		if n > 2 && divided.ns > last {
			t.Errorf("%d processors, divided: %.0f ns, more than the %.0f of half as many",
				n, divided.ns, last)
		}
		last = divided.ns
		if again := simulate(usual, n, stripes, true); again.transfers >= divided.transfers ||
			again.ns >= divided.ns {
			t.Errorf("%d processors: %+v where Loads are remembered, %+v where not",
				n, again, divided)
		}
	}
}

// A Load is remembered until the key is stored, by whichever processor.
func TestRemembered(t *testing.T) {
	m := newMachine(2, 1)
	for _, c := range []struct {
		proc, key   int
		store, want bool
	}{
		{0, 0, false, false}, {0, 0, false, true}, {1, 0, false, false}, {0, 1, true, false},
		{0, 0, false, true}, {1, 0, true, true}, {0, 0, false, false}, {0, 0, false, true},
		{0, 0, true, true}, {0, 0, false, false},
	} {
		if got := m.seen[c.proc][c.key] == m.stores[c.key]+1; got != c.want {
			t.Errorf("%+v: remembered: %v", c, got)
		}
		m.call(c.proc, c.key, 1, c.store)
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	if err := mainErr([]string{"-procs", "1,64", "-calls", "100"}, &out); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 4 {
		t.Errorf("%d lines, want 4:\n%s", n, &out)
	}
	for _, procs := range []string{"0", "65", "x"} {
		if err := mainErr([]string{"-procs", procs}, &out); err == nil {
			t.Errorf("-procs %s: no error", procs)
		}
	}
}
