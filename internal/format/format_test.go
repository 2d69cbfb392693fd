// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/report"
)

// TestParse has values of the flag that are refused, and says why.
func TestParse(t *testing.T) {
	dir := t.TempDir()
	for value, want := range map[string]string{
		"json=" + filepath.Join(dir, "x"):   "",
		"github":                            "",
		"sarif=-":                           "",
		"json":                              "no file is named",
		"json=":                             "no file is named",
		"xml=x":                             `no format "xml"`,
		"":                                  `no format ""`,
		"json=" + filepath.Join(dir, "a/x"): "no folder",
		"json=" + dir:                       "is a folder",
	} {
		_, err := Parse(value)
		if want == "" && err != nil || want != "" && (err == nil ||
			!strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// TestWrite writes a run twice, in several formats, and leaves nothing else in the folder. The file
// of a format that fails stays as it was.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	var outputs []Output
	for _, name := range []string{"json", "sarif", "github", "html"} {
		o, err := Parse(name + "=" + filepath.Join(dir, "out."+name))
		if err != nil {
			t.Fatal(err)
		}
		outputs = append(outputs, o)
	}
	run := &report.Run{Findings: []*report.Finding{{Kind: report.DataRace}}}
	for range 2 {
		if err := Write(outputs, run, dir, "v1"); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(outputs) {
		t.Fatalf("%v, %v", entries, err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got report.Run
	if err := json.Unmarshal(text, &got); err != nil || got.Version != report.Version ||
		len(got.Findings) != 1 || got.Findings[0].Kind != report.DataRace {
		t.Errorf("%+v, %v", got, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := Write(outputs, run, dir, "v1"); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("in a folder that is gone: %v", err)
	}
}

// TestDevice writes to what is no file.
func TestDevice(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Skip("there is no null device: ", err)
	}
	o, err := Parse("json=" + os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write([]Output{o}, new(report.Run), ".", ""); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device was replaced")
	}
}
