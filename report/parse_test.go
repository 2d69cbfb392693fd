// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// golden are the files with reports that the engine and watched programs have written.
func golden(t testing.TB) (files []string) {
	t.Helper()
	for _, pattern := range []string{"../internal/engine/finding/testdata/*.txt",
		"../internal/engine/finding/testdata/*/*.txt", "../internal/verdict/testdata/*.txt"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) < 30 {
		t.Fatalf("%d files", len(files))
	}
	return files
}

// frameText is a frame in a report. The engine's golden files have no lines of Go's own files.
var frameText = regexp.MustCompile(`(?m)^  (\S+\(\)\n      \S+?)(?: \+0x\w+)?$`)

// stacks are all stacks of a finding.
func stacks(f *Finding) (list [][]Frame) {
	list = append(list, f.At.Stack)
	for _, e := range []*Event{f.Decided, f.Previous} {
		if e != nil {
			list = append(list, e.Stack)
		}
	}
	for _, e := range f.Edges {
		list = append(list, e.From.Stack, e.To.Stack)
	}
	for _, n := range f.Nodes {
		list = append(list, n.From.Stack, n.To.Stack)
	}
	for _, g := range f.Goroutines {
		list = append(list, g.Stack)
	}
	return list
}

// TestParseAll reads all reports that the repository has. None is lost, each has what all of its
// kind have, and each frame of the text is in a stack.
func TestParseAll(t *testing.T) {
	for _, name := range golden(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list := Parse(text)
		if n := bytes.Count(text, []byte("\n"+warning)); len(list) != n-again(text) {
			t.Errorf("%s: %d findings, but %d reports", name, len(list), n)
		}
		for _, f := range list {
			if f.Headline == "" || f.Evidence == "" || !strings.Contains(string(text), f.Report) {
				t.Errorf("%s: %+v", name, f)
			}
			if f.Kind != Deadlock && f.Kind != DataRace && (f.Why == "" || f.Because == "" ||
				f.Page == "" || len(f.Steps) < 2) {
				t.Errorf("%s: said are %q, %q, %q, and %d steps", name, f.Why, f.Because, f.Page,
					len(f.Steps))
			}
			known := make(map[string]bool)
			for _, s := range stacks(f) {
				for _, fr := range s {
					known[fmt.Sprintf("%s()\n      %s:%d", fr.Func, fr.File, fr.Line)] = true
					known[fmt.Sprintf("%s()\n      %s", fr.Func, fr.File)] = true
				}
			}
			allocated := strings.Index(f.Report, "\nLocation")
			if allocated < 0 {
				allocated = len(f.Report)
			}
			for _, m := range frameText.FindAllStringSubmatch(f.Report[:allocated], -1) {
				if !known[m[1]] {
					t.Errorf("%s: no stack has %q", name, m[1])
				}
			}
		}
	}
}

// again counts the reports that are a line, for they were made in full before.
func again(text []byte) int { return bytes.Count(text, []byte("VIOLATION again")) }

// TestParse reads a report of each kind, and wants all of it.
func TestParse(t *testing.T) {
	const dir = "../internal/engine/finding/testdata/"
	app := "github.com/commutego/commute/internal/engine/fixture."
	for _, test := range []struct {
		file, want string
	}{
		{"observed.txt", `check-then-act race, commute, observed, lost update, lost-update
kv.Map Server.cache app/cache.go:3 0xc000012340 "host"
Load, Store: k1 != k2 (kv.ecl:3:1)
decided: 7 call Load app/cache.go:12
at: 7 call Store app/cache.go:22
previous: 8 call Store app/main.go:34
goroutine 7 by 1 from ` + app + `AppMain
goroutine 8 by 1 from ` + app + `AppMain
goroutine 7: app/cache.go:12: Load("host") = nil, false
goroutine 8: app/main.go:34: Store("host", 2)
goroutine 7: app/cache.go:22: Store("host", 1)
`},
		{"report.txt", `commutativity race, commute, race, stale read, stale-read
kv.Map Server.cache app/cache.go:3 0xc000012340 "host"
Load, Swap: k1 != k2 (kv.ecl:3:1)
at: 1 call Load app/cache.go:22
previous: 7 call Swap app/cache.go:12
goroutine 1 main
goroutine 7 by 1 from ` + app + `AppMain
goroutine 7: app/cache.go:12: Swap("host", 2) = nil
goroutine 1: app/cache.go:22: Load("host") = 2, true
`},
		{"sections/twin.txt", `check-then-act race, sections, race, lost update, lost-update
 Rates.m app/rates.go:8 0x5000 "eur"
decided: 9 access  app/cache.go:12
at: 9 access  app/cache.go:22
previous: 8 access  app/cache.go:12
goroutine 9 by 1 from ` + app + `AppMain
goroutine 8 by 1 from ` + app + `AppMain
goroutine 9: rates.go:14: read Rates.m["eur"] = 7
goroutine 8: rates.go:14: read Rates.m["eur"]
goroutine 9: rates.go:19: write Rates.m["eur"] = 8 (was 7)
`},
		{"datarace/timer.txt", `data race, datarace, race, , data-race
at: 8 write  app/cache.go:22 0x00c000012340
previous: 7 write  app/cache.go:12 0x00c000012340
goroutine 8 by timer
goroutine 7 by timer
goroutine 7: app/cache.go:12: write the same memory
goroutine 8: app/cache.go:22: write the same memory
`},
		{"datarace/main.txt", `data race, datarace, race, , data-race
at: 1 read  app/cache.go:22 0x00c000012340
previous: 7 write  app/cache.go:12 0x00c000012340
goroutine 7 by 0 from ` + app + `AppMain
goroutine 7: app/cache.go:12: write the same memory
goroutine 1: app/cache.go:22: read the same memory
`},
	} {
		text, err := os.ReadFile(dir + test.file)
		if err != nil {
			t.Fatal(err)
		}
		list := Parse(text)
		if len(list) != 1 {
			t.Errorf("%s: %d findings", test.file, len(list))
			continue
		}
		if got := brief(list[0]); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.file, got, test.want)
		}
	}
}

// brief is a finding in some lines.
func brief(f *Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s, %s, %s\n", f.Kind, f.Check, f.Evidence, f.Effect, f.Page)
	if o := f.Object; o != nil {
		fmt.Fprintf(&b, "%s %s %s %s %s\n", o.Type, o.Name, o.DeclaredAt, o.Address, o.Key)
	}
	if c := f.Commute; c != nil {
		fmt.Fprintf(&b, "%s, %s: %s (%s)\n", c.Methods[0], c.Methods[1], c.Text, c.At)
	}
	for _, side := range []struct {
		name string
		*Event
	}{{"decided", f.Decided}, {"at", &f.At}, {"previous", f.Previous}} {
		if e := side.Event; e != nil {
			line := fmt.Sprintf("%s: %d %s %s %s %s", side.name, e.Goroutine, e.Op, e.Method, e.At,
				e.Address)
			fmt.Fprintln(&b, strings.TrimSpace(line))
		}
	}
	for _, g := range f.Goroutines {
		switch {
		case g.Main:
			fmt.Fprintf(&b, "goroutine %d main\n", g.ID)
		case g.ByTimer:
			fmt.Fprintf(&b, "goroutine %d by timer\n", g.ID)
		default:
			fmt.Fprintf(&b, "goroutine %d by %d from %s\n", g.ID, g.Creator, g.Stack[0].Func)
		}
	}
	for _, s := range f.Steps {
		fmt.Fprintf(&b, "%s: %s: %s\n", s.Goroutine, s.At, s.Does)
	}
	return b.String()
}

// TestParseRecorded reads the reports that are written of traces: the text of what was read is the
// same, and so are kind, evidence, and stacks.
func TestParseRecorded(t *testing.T) {
	at := func(id uint64, did, method, fn string, line uint32) Event {
		return Event{Goroutine: id, Thread: fmt.Sprint("T", id), Did: did, Method: method,
			Address: "0xc000012340",
			Stack:   []Frame{{fn, "/src/app/app.go", line}, {"sync.(*WaitGroup).Go", "wg.go", 7}}}
	}
	load := at(7, "call of Load", "Load", "app.get", 12)
	store, other := at(7, "call of Store", "Store", "app.get", 15),
		at(8, "call of Store", "Store", "app.put", 21)
	load.Number, other.Number, store.Number = 1, 2, 3
	object := &Object{Type: "sync.Map", Name: "App.m", DeclaredAt: "app.go:3",
		Address: "0xc000012340", Keyed: true, Key: `"a"`}
	for _, f := range []*Finding{
		{Kind: CheckThenActRace, Evidence: Predicted, At: store, Previous: &other, Decided: &load,
			Act: "at", Object: object, Effect: LostUpdate, Why: "it is lost"},
		{Kind: CommutativityRace, Evidence: Race, At: store, Previous: &other, Object: object,
			Effect: LostUpdate, Why: "it is lost", Tests: []string{"TestA", "TestB/c"}},
		{Kind: AtomicityViolation, Evidence: Observed, At: store, Transactions: []Transaction{
			{Thread: "T7", Goroutine: 7, Name: "app.get", MarkedAt: "app.go:9"},
			{Thread: "T8", Goroutine: 8}}, Edges: []Edge{{load, other}, {other, store}}},
	} {
		f.Recorded = true
		list := Parse([]byte(f.Text()))
		if len(list) != 1 {
			t.Errorf("%s: %d findings in\n%s", f.Kind, len(list), f.Text())
			continue
		}
		g := list[0]
		if g.Kind != f.Kind || g.Evidence != f.Evidence || g.Effect != f.Effect ||
			g.Text() != f.Text() || !reflect.DeepEqual(g.Tests, f.Tests) ||
			len(g.Transactions) != len(f.Transactions) {
			t.Errorf("%+v\nwas read from\n%s", g, f.Text())
		}
		if !reflect.DeepEqual(g.At.Stack, f.At.Stack) || len(g.Edges) != len(f.Edges) {
			t.Errorf("%s: the stack is %v", f.Kind, g.At.Stack)
		}
		f.Describe()
		if f.Headline == "" || len(f.Steps) < 2 || f.Report != "" {
			t.Errorf("%s: %+v is said", f.Kind, f.Said)
		}
	}
}

// TestParseBetween has reports among other output, one without its end, and one of an unknown kind.
func TestParseBetween(t *testing.T) {
	text, err := os.ReadFile("../internal/engine/finding/testdata/report.txt")
	if err != nil {
		t.Fatal(err)
	}
	whole := string(text)
	for _, test := range []struct {
		text string
		want int
	}{
		{"", 0}, {ruler, 0}, {ruler + ruler, 0}, {warning, 0},
		{"=== RUN\n" + whole + "--- FAIL\n" + whole + "ok\n", 2},
		{whole[:len(whole)-len(ruler)], 0},
		{ruler + whole, 1},
		{strings.ReplaceAll(whole, "\n", "\r\n"), 1},
		{strings.Replace(whole, "COMMUTATIVITY RACE", "NEW KIND", 1) + whole, 1},
	} {
		if list := Parse([]byte(test.text)); len(list) != test.want {
			t.Errorf("%d findings, not %d, in\n%s", len(list), test.want, test.text)
		}
	}
}

// FuzzParse wants no panic, and the text of what is found.
func FuzzParse(f *testing.F) {
	for _, name := range golden(f) {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, x := range Parse(text) {
			if !bytes.Contains(text, []byte(x.Report)) {
				t.Errorf("%q is no part of %q", x.Report, text)
			}
			x.Identity()
			x.Fingerprint()
		}
	})
}
