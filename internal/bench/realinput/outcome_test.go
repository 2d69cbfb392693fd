// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"path/filepath"
	"testing"
)

func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name, out string
		err       error
		verdict   string
		reports   int
	}{
		{"passed", "PASS\n", nil, "ok", 0},
		{"failed", "--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/x (0.00s)\nFAIL\n", failed,
			"FAIL 2", 0},
		{
			"reports", "WARNING: COMMUTATIVITY RACE\nx\nWARNING: DATA RACE\nnot: WARNING: DATA " +
				"RACE\n--- FAIL: TestA (0.00s)\n",
			failed, "FAIL 1", 2,
		},
		{"timed out", "panic: test timed out after 1s\n", failed, "timeout", 0},
		{"killed", "PASS\n" + killed, failed, "timeout", 0},
		{"crashed", "fatal error: unexpected signal\n", failed, "crash", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := outcome{failed: make(map[string]bool)}
			o.judge([]byte(c.out), c.err)
			if o.verdict != c.verdict || o.reports != c.reports {
				t.Errorf("%s with %d reports, want %s with %d",
					o.verdict, o.reports, c.verdict, c.reports)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	if got, err := choose("grpc,sync"); err != nil || len(got) != 2 || got[0].name != "grpc" ||
		got[1].name != "sync" {
		t.Errorf("choose(grpc,sync) = %v, %v", got, err)
	}
	if got, err := choose("nope"); err == nil {
		t.Errorf("choose(nope) = %v, want an error", got)
	}
	if got, _ := choose(""); len(got) < 14 {
		t.Errorf("%d targets, want at least 14", len(got))
	}
}

func TestCommuteTool(t *testing.T) {
	defer func(old string) { *binary = old }(*binary)
	*binary = "commute"
	want, err := filepath.Abs("commute")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := commuteTool(true); err != nil || got != want {
		t.Errorf("commuteTool(true) = %q, %v, want %q", got, err, want)
	}
	if got, err := commuteTool(false); err != nil || got != "" {
		t.Errorf("commuteTool(false) = %q, %v, want none", got, err)
	}
}
