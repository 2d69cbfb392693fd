// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	flate := benchmark{label: "Decode/Newton/Default/1e5", times: 250}
	want := []string{"-test.run=^$", "-test.bench=^BenchmarkDecode$/^Newton$/^Default$/^1e5$",
		"-test.benchtime=250x"}
	if got := flate.args(); !slices.Equal(got, want) {
		t.Errorf("args = %q, want %q", got, want)
	}
	tests := benchmark{label: "tests", times: 20, tests: "^TestStress"}
	want = []string{"-test.paniconexit0", "-test.run=^TestStress", "-test.count=20"}
	if got := tests.args(); !slices.Equal(got, want) {
		t.Errorf("args = %q, want %q", got, want)
	}
}

func TestNanoseconds(t *testing.T) {
	const line = "BenchmarkStoreGet-2   \t10000000\t        21.85 ns/op\t  45.77 MB/s\n"
	if got, err := nanoseconds("goos: linux\n" + line + "PASS\n"); err != nil || got != 21.85 {
		t.Errorf("nanoseconds = %v, %v, want 21.85", got, err)
	}
	for _, out := range []string{"PASS\n", line + line} {
		if _, err := nanoseconds(out); err == nil {
			t.Errorf("nanoseconds(%q): no error", out)
		}
	}
}

func TestChoose(t *testing.T) {
	chosen, err := choose("^(heap|json)/.*Structs")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range chosen {
		names = append(names, c.name())
	}
	if want := []string{"heap/HeapStructs", "heap/HeapStructsShared"}; !slices.Equal(names, want) {
		t.Errorf("chosen: %q, want %q", names, want)
	}
	if _, err := choose("nothing of the kind"); err == nil {
		t.Error("a pattern that matches nothing: no error")
	}
}

func TestTable(t *testing.T) {
	builds := []build{{name: "plain"}, {name: "datarace"}, {name: "race"}}
	table := newTable("time", builds, duration)
	for round, speed := range []float64{1, 10, 2} { // of the machine; ratios don't see it
		table.add("json/Code", round, "plain", 1500*speed)
		table.add("json/Code", round, "datarace", 3000*speed)
		table.add("json/Code", round, "race", 6000*speed)
	}
	table.add("raft/tests", 0, "plain", 2e9)
	table.add("raft/tests", 0, "datarace", 4e9)
	table.add("raft/tests", 0, "race", 2e9)
	table.add("raft/tests", 1, "plain", 0) // all of them failed
	table.add("sort/Ints", 0, "plain", 40)
	table.add("sort/Ints", 0, "datarace", 0)
	table.add("sort/Ints", 0, "race", 160)
	var out strings.Builder
	table.print(&out)
	const want = `
            time  plain  datarace/plain  race/plain  datarace/race
       json/Code   3 µs           2.00x       4.00x          0.50x
      raft/tests    2 s           2.00x       1.00x          2.00x
       sort/Ints  40 ns               -       4.00x              -
  geometric mean             2.00x of 2       2.52x     1.00x of 2
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("the table is%swant%s", got, want)
	}
}

func TestFormat(t *testing.T) {
	for ns, want := range map[float64]string{0: "-", 21.85: "21.9 ns", 15_090: "15.1 µs",
		5.571e6: "5.57 ms", 2e9: "2 s"} {
		if got := duration(ns); got != want {
			t.Errorf("duration(%v) = %s, want %s", ns, got, want)
		}
	}
	if got := megabytes(640 << 20); got != "640 MB" {
		t.Errorf("megabytes = %s, want 640 MB", got)
	}
}

func TestTableOfLeast(t *testing.T) {
	table := newTable("processor time", []build{{name: "plain"}, {name: "race"}}, duration)
	table.least = true
	for round, ns := range []float64{40, 20, 30} {
		table.add("sort/Ints", round, "plain", ns)
		table.add("sort/Ints", round, "race", 100-ns) // least where plain is slowest
		table.add("raft/tests", round, "plain", ns)
		table.add("raft/tests", round, "race", 0) // all of them failed
	}
	var out strings.Builder
	table.print(&out)
	const want = `
  processor time  plain  race/plain
       sort/Ints  20 ns       3.00x
      raft/tests  20 ns           -
  geometric mean         3.00x of 1
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("the table is%swant%s", got, want)
	}
}
