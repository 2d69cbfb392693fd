// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package api

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// flat is text without the spaces at the beginnings of its lines.
func flat(text string) string {
	return regexp.MustCompile(`(?m)^[ \t]+`).ReplaceAllString(text, "")
}

// TestDocs wants each piece of Go in docs/api.md to be part of an example, which is run.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var sources string
	for _, p := range public {
		names, err := filepath.Glob(filepath.Join("../..", p, "example_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources += flat(string(source))
		}
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(data, -1)
	for _, b := range blocks {
		if !strings.Contains(sources, flat(string(b[1]))) {
			t.Errorf("this is in no example:\n%s", b[1])
		}
	}
	if len(blocks) < 5 {
		t.Errorf("%d pieces of Go", len(blocks))
	}
	_, sample, _ := strings.Cut(string(data), "    {\"version\"")
	sample, _, _ = strings.Cut(sample, "\n\n")
	d := json.NewDecoder(strings.NewReader("{\"version\"" + sample))
	d.DisallowUnknownFields()
	var trace report.Trace
	if err := d.Decode(&trace); err != nil || trace.Version != report.Version ||
		len(trace.Findings()) != 1 {
		t.Errorf("the sample of JSON: %v, %+v", err, trace)
	}
	for _, p := range public {
		name, _, _ := strings.Cut(p, "/")
		if !strings.Contains(string(data), "`"+name) {
			t.Errorf("package %s is not named", p)
		}
	}
}
