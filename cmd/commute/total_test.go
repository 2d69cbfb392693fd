// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/commutego/commute/report"
)

// The total is there where several packages were tested, and something was found in one of them. It
// counts the findings that are told apart, in however many processes each was found.
func TestTotal(t *testing.T) {
	const clean = "program /b/clean.test\ncalls 1\nend\n"
	const bank = "program /b/bank.test\nfound race 1\nend\n"
	const a = "program /b/a.test\nfound race 9\nend\n"
	race := &report.Finding{Kind: report.CommutativityRace}
	broken := &report.Finding{Kind: report.CheckThenActRace}
	sections := &report.Finding{Kind: report.CheckThenActRace, Check: inSections}
	memory := &report.Finding{Kind: report.DataRace}
	violation := &report.Finding{Kind: report.AtomicityViolation}
	deadlock := &report.Finding{Kind: report.Deadlock}
	for _, test := range []struct {
		files    []string
		findings []*report.Finding
		want     string
	}{
		{[]string{clean}, nil, ""},
		{[]string{clean, "program /b/other.test\nend\n"}, nil, ""},
		{[]string{bank}, []*report.Finding{broken}, ""},
		{[]string{bank, clean}, []*report.Finding{broken},
			"found in 1 of 2 packages (bank): 1 commutativity race that breaks a check and act"},
		{[]string{bank, clean, a, bank},
			[]*report.Finding{memory, memory, memory, race, race, violation, broken},
			"found in 2 of 3 packages (a, bank): 3 data races, 1 atomicity violation, " +
				"3 commutativity races (1 breaks a check and act)"},
		{[]string{clean, a}, []*report.Finding{broken, broken, sections, deadlock, deadlock},
			"found in 1 of 2 packages (a): 2 commutativity races that break a check and act, " +
				"1 check and act in separate critical sections, 2 potential deadlocks"},
		{[]string{clean, "program /b/a.test\nfound race 2\n"}, nil, ""}, // not written to its end
	} {
		c := newCounts()
		for _, f := range test.files {
			c.add(f)
		}
		if got := c.total(test.findings); got != test.want {
			t.Errorf("%q: %q, want %q", test.files, got, test.want)
		}
	}
}

// TestWarned has two processes with deadlocks. One fails by what it finds; the other only warns, of
// one that fails there and of one that nothing fails by.
func TestWarned(t *testing.T) {
	dir := t.TempDir()
	text := func(name string) string {
		data, err := os.ReadFile("../../internal/verdict/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	one, other := text("deadlock.txt"), text("deadlockring.txt")
	const warns = "calls 1\ndeadlock x, 1 time\nend\n"
	for name, text := range map[string]string{
		"a": "program /b/a.test\nfound deadlock 1\nend\n", "a.reports": one,
		"b": "program /b/b.test\n" + warns, "b.reports": one + other,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	c, err := readCounts(dir)
	if err != nil {
		t.Fatal(err)
	}
	const want = "found in 1 of 2 packages (a): 1 potential deadlock"
	findings := report.Merge(c.findings)
	if got := c.total(findings); got != want || len(findings) != 2 {
		t.Errorf("%d findings: %q, want %q", len(findings), got, want)
	}
	if got := c.list(findings); len(got) != 1 {
		t.Errorf("list %q", got)
	}
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("program /b/a.test\nfound race 1\n"+
		warns), 0o666); err != nil {
		t.Fatal(err)
	}
	// A third process has crashed before it could say that it only warns.
	for name, text := range map[string]string{"c": "", "c.reports": other} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if c, err = readCounts(dir); err != nil {
		t.Fatal(err)
	}
	if got := c.list(report.Merge(c.findings)); len(got) != 0 {
		t.Errorf("of warnings, list %q", got)
	}
}

// TestList has a line for each of some findings, and says how many more there are.
func TestList(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_WORKSPACE", dir)
	at := func(line int) report.Event {
		return report.Event{At: filepath.Join(dir, fmt.Sprintf("a/b.go:%d", line))}
	}
	findings := []*report.Finding{
		{Kind: report.CheckThenActRace, Evidence: report.Observed, Effect: report.LostUpdate,
			At: at(7), Object: &report.Object{Name: "Store.m"}, Tests: []string{"TestA", "TestB"}},
		{Kind: report.DataRace, Evidence: report.Race, At: at(9),
			Tests: []string{"TestA", "TestB", "TestC", "TestD", "TestE"}},
		{Kind: report.AtomicityViolation, Evidence: report.Predicted, At: at(8),
			Transactions: []report.Transaction{{Name: "example.com/bank.(*Account).Deposit"}}},
		{Kind: report.Deadlock, Evidence: report.Potential, At: at(3)},
	}
	c := newCounts()
	c.programs = map[string]bool{"a": true}
	if got := c.list(findings); got != nil {
		t.Errorf("one package has %q", got)
	}
	c.programs["b"] = true
	want := []string{
		"a/b.go:7: check-then-act race, lost update, observed: Store.m (TestA, TestB)",
		"a/b.go:9: data race (TestA, TestB, TestC and 2 more)",
		"a/b.go:8: atomicity violation, predicted: bank.(*Account).Deposit",
		"a/b.go:3: deadlock, potential",
	}
	if got := c.list(findings); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	c.warned = map[string]bool{findings[3].Fingerprint(): true}
	if got := c.list(findings); !slices.Equal(got, want[:3]) {
		t.Errorf("with warnings: %q", got)
	}
	for i := range maxListed {
		findings = append(findings, &report.Finding{Kind: report.DataRace, At: at(100 + i)})
	}
	if got := c.list(findings); len(got) != maxListed+1 ||
		got[maxListed] != "3 more (-report=html=FILE has all)" {
		t.Errorf("%d lines, the last is %q", len(got), got[len(got)-1])
	}
}
