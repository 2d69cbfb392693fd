// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/engine/capture"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/output"
	"github.com/commutego/commute/internal/engine/report"
)

// TestColored wants the same words in color, and each line to end without one.
func TestColored(t *testing.T) {
	restore(t)
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	codes := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for _, name := range files {
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		from := output.NewText(2, true)
		from.Text(string(want))
		c := colored(from)
		got := c.String()
		if codes.ReplaceAllString(got, "") != string(want) {
			t.Errorf("%s: other words:\n%s", name, got)
		}
		for line := range strings.Lines(got) {
			if n := strings.Count(line, "\x1b["); n%2 != 0 || n > 0 &&
				!strings.Contains(line, plain) {
				t.Errorf("%s: the color goes on: %q", name, line)
			}
		}
		if strings.Contains(string(want), "WARNING") && !strings.Contains(got, red+"WARNING: ") {
			t.Errorf("%s: no warning is red", name)
		}
		c.Discard()
	}
}

// TestMaxReports has more findings than reports are to be written: all are counted, and the list
// says how many were left out.
func TestMaxReports(t *testing.T) {
	for limit, want := range map[string]int{"max_reports=0": 12, "max_reports=10": 10, "": 12,
		"max_reports=1": 1, "max_reports=12": 12} {
		restore(t)
		option.Parse(limit)
		text := capture.Stderr(t, func() {
			for i := range 12 {
				clashAt(uintptr(0x7000 + 16*i))
				Wake()
			}
			Close()
		})
		if n := strings.Count(text, "WARNING: "); n != want {
			t.Errorf("%s: %d reports, want %d", limit, n, want)
		}
		left := fmt.Sprintf("commute: not shown: %d more report", 12-want)
		if has := strings.Contains(text, left); has != (want < 12) {
			t.Errorf("%s: the list says\n%s", limit, text[strings.LastIndex(text, report.Ruler):])
		}
	}
}
