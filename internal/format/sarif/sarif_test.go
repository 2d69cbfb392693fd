// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sarif

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	place "github.com/commutego/commute/internal/format/location"
	"github.com/commutego/commute/report"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// findings are those of all reports that the repository has.
func findings(t *testing.T) (list []*report.Finding) {
	t.Helper()
	for _, pattern := range []string{"../../engine/finding/testdata/*.txt",
		"../../engine/finding/testdata/*/*.txt", "../../verdict/testdata/*.txt"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, report.Parse(text)...)
		}
	}
	return list
}

// write is the log of some findings.
func write(t *testing.T, list []*report.Finding, root place.Root) []byte {
	t.Helper()
	var b bytes.Buffer
	run := &report.Run{Command: []string{"commute", "test", "./..."}, Findings: list}
	if err := Write(&b, run, root, "v0.1.0"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// check holds a log against the standard's schema, which has no room for unknown fields.
func check(t *testing.T, log []byte) error {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// TestSchema holds the logs of all kinds of findings against the schema: of none, of each, and of
// one that has nothing but a kind.
func TestSchema(t *testing.T) {
	root := place.At(t.TempDir())
	list := findings(t)
	if len(list) < 30 {
		t.Fatalf("%d findings", len(list))
	}
	for _, list := range [][]*report.Finding{list, nil, {{Kind: report.DataRace}}} {
		if err := check(t, write(t, list, root)); err != nil {
			t.Error(err)
		}
	}
	// What is not valid is refused: else the test would say nothing.
	for _, bad := range [][2]string{{`"level": "error"`, `"level": "bad"`},
		{`"executionOrder"`, `"executionorder"`}, {`"startLine": `, `"startLine": -`}} {
		log := bytes.Replace(write(t, list, root), []byte(bad[0]), []byte(bad[1]), 1)
		if check(t, log) == nil {
			t.Errorf("a log with %s is taken", bad[1])
		}
	}
}

// TestFix has a change of a file, whose region is in lines and code points.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	text := "package a\n\nvar é, x = 1, 2 // x\n"
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	at := strings.Index(text, "x =")
	f := &report.Finding{Kind: report.CheckThenActRace, Check: "checkact",
		Evidence: report.Static, At: report.Event{At: name + ":3:8"},
		Said: report.Said{Headline: "Load, then Store", Fixes: []report.Fix{
			{Message: "use y", Edits: []report.Edit{{File: name, Start: at, End: at + 1, New: "y"}}},
			{Message: "gone", Edits: []report.Edit{{File: name + "x", Start: 0, End: 1}}},
			{Message: "too short", Edits: []report.Edit{{File: name, Start: 5, End: 500}}},
		}}}
	log := write(t, []*report.Finding{f}, place.At(dir))
	if err := check(t, log); err != nil {
		t.Error(err)
	}
	var l sarifLog
	if err := json.Unmarshal(log, &l); err != nil {
		t.Fatal(err)
	}
	fixes := l.Runs[0].Results[0].Fixes
	if len(fixes) != 1 || fixes[0].Description.Text != "use y" {
		t.Fatalf("fixes are %+v", fixes)
	}
	c := fixes[0].ArtifactChanges[0]
	want := region{StartLine: 3, StartColumn: 8, EndLine: 3, EndColumn: 9}
	if r := c.Replacements[0]; r.DeletedRegion != want || r.InsertedContent.Text != "y" ||
		c.ArtifactLocation.URI != "a.go" {
		t.Errorf("the change is %+v", c)
	}
}

// TestGolden compares the log of two findings with the one that is known.
func TestGolden(t *testing.T) {
	var list []*report.Finding
	for _, name := range []string{"observed.txt", "datarace/global.txt"} {
		text, err := os.ReadFile("../../engine/finding/testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, report.Parse(text)...)
	}
	list[0].Tests = []string{"TestRates"}
	dir := t.TempDir()
	log := write(t, list, place.At(dir))
	got := strings.ReplaceAll(string(log), fileURI(dir), "file:///work")
	const golden = "testdata/golden.sarif"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("another log (if that is meant, -update):\n%s", got)
	}
}
