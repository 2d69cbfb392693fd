// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracefile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace"
	"github.com/commutego/commute/internal/trace/raw"
	"github.com/commutego/commute/internal/trace/spec"
	"github.com/commutego/commute/internal/trace/tracegen"
	"golang.org/x/tools/txtar"
)

// readAll reads and validates a file to its end.
func readAll(name, format string) (*File, []event.Event, error) {
	f, err := Open(name, format)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	f.Validate(nil)
	var list []event.Event
	buf := make([]event.Event, 100)
	for {
		n, err := f.Read(buf)
		list = append(list, buf[:n]...)
		if err == io.EOF {
			return f, list, nil
		}
		if err != nil {
			return f, list, err
		}
	}
}

// TestMalformed reads traces that are wrong, each with the error that it must give.
func TestMalformed(t *testing.T) {
	cases, err := filepath.Glob("testdata/malformed/*.txtar")
	if err != nil || len(cases) < 20 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil || len(a.Files) != 2 {
				t.Fatalf("%d files, %v", len(a.Files), err)
			}
			file := filepath.Join(t.TempDir(), a.Files[0].Name)
			if err := os.WriteFile(file, a.Files[0].Data, 0o666); err != nil {
				t.Fatal(err)
			}
			_, _, err = readAll(file, "")
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.ReplaceAll(err.Error(), file, a.Files[0].Name)
			if want := strings.TrimSpace(string(a.Files[1].Data)); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]string{
		"":                                    STD,
		"T0|r(x)|1\n":                         STD,
		"garbage":                             STD,
		"@ Enter(1,f)\n":                      RoadRunner,
		"[main: hello]\n\n@   ARd(1,x)  F  y": RoadRunner,
		"T0|r(@)|1\nat @ Rd(1":                STD,
		"commute trace 1\n":                   Binary,
		"commute trace 1\n\x02\x01":           Binary,
		"commute trace 1\nEvents codec=s2":    Text,
		"commute trace 1\n# so":               Text,
		"commute trace 9\n":                   Binary,
		"commute trace 2\n\x00\x01":           Binary,
		"commute trace 2\nEvents codec=s2":    Text,
	} {
		if got := Detect([]byte(head)); got != want {
			t.Errorf("%q is %s, want %s", head, got, want)
		}
	}
}

// TestConversions writes a trace in each format and reads it again, and that in each other.
func TestConversions(t *testing.T) {
	dir := t.TempDir()
	list := tracegen.Locked(3000)
	tables := trace.NewTables()
	tables.Mutexes = true
	names := []string{"x.trace", "x.std", "x.rr", "x.txt", "x.std.gz", "x.trace.gz", "x.rr.gz",
		"x.txt.gz"}
	for _, first := range names {
		first = filepath.Join(dir, "1"+first)
		save(t, first, tables, list)
		f, again, err := readAll(first, "")
		if err != nil || f.Format != FormatOf(first) || f.Gzip != strings.HasSuffix(first, ".gz") ||
			f.Done() != f.Size {
			t.Fatalf("%s is %s, %v, %d bytes read of %d", first, f.Format, err, f.Done(), f.Size)
		}
		for _, second := range names {
			second = filepath.Join(dir, "2"+second)
			save(t, second, f.Tables(), again)
			g, third, err := readAll(second, "")
			if err != nil || len(third) != len(list) {
				t.Fatalf("%s from %s has %d events, %v", second, first, len(third), err)
			}
			for i := range third {
				was, is := tables.String(&list[i]), g.Tables().String(&third[i])
				if was != is {
					t.Fatalf("%s from %s: event %d is %s, want %s", second, first, i, is, was)
				}
			}
		}
	}
}

func save(t *testing.T, name string, tables *trace.Tables, list []event.Event) {
	t.Helper()
	w, err := Create(name, "", spec.Zstd, tables)
	if err == nil {
		err = errors.Join(w.Write(list), w.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestGzipErrors(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.std.gz")
	save(t, name, trace.NewTables(), tracegen.Locked(3000))
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(whole)
	bad[len(bad)-6] ^= 1
	for want, data := range map[string][]byte{
		"gzip: unexpected EOF (is the file whole?)":   whole[:len(whole)/2],
		"gzip: invalid checksum (is the file whole?)": bad,
	} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAll(name, ""); err == nil || err.Error() != name+": "+want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestCutOff wants a binary trace to be read up to where it was cut off, and the rest to be
// counted.
func TestCutOff(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.trace")
	tables := trace.NewTables()
	tables.Mutexes = true
	list := tracegen.Locked(200000)
	save(t, name, tables, list)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	f, part, err := readAll(name, "")
	if err != nil || len(part) == 0 || len(part) == len(list) {
		t.Fatalf("%d events of %d, %v", len(part), len(list), err)
	}
	if cut, steps := f.Cut(); cut == 0 || steps != 0 {
		t.Errorf("%d bytes and %d steps were cut off", cut, steps)
	}
}

// TestNothing wants a file that ends before it tells its format to be refused: what reads no event
// finds nothing.
func TestNothing(t *testing.T) {
	for text, want := range map[string]string{
		"":          "x: the file is empty",
		"c":         "x: the file ends in its first line (is it whole?)",
		"commute t": "x: the file ends in its first line (is it whole?)",
	} {
		if _, err := New(strings.NewReader(text), "x", ""); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := New(strings.NewReader(""), "x", STD); err != nil {
		t.Error(err) // whose format is told may be empty
	}
}

func TestCheckRecords(t *testing.T) {
	var file bytes.Buffer
	err := raw.Parse(&file, strings.NewReader("commute trace 1\nEvents codec=plain first=0 low=9 "+
		"ordered=true\nGo goroutine=1\nExit pos=0\nEnd pos=0\n"))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "x.trace")
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	want := name + ": byte 16: in the chunk there: End pos=0: goroutine 1 has exited before"
	if err := CheckRecords(name, ""); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := CheckRecords(name, STD); err != nil {
		t.Error(err)
	}
}

// TestCloseEarly closes files of all formats before their ends. No goroutine may be left that
// opening or reading one has started.
func TestCloseEarly(t *testing.T) {
	list := tracegen.Locked(200000) // several chunks
	for _, name := range []string{"x.trace", "x.txt", "x.std", "x.rr", "x.txt.gz"} {
		name = filepath.Join(t.TempDir(), name)
		save(t, name, trace.NewTables(), list)
		f, err := Open(name, "")
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Read(make([]event.Event, 100)); n == 0 || err != nil {
			t.Fatalf("%s: %d events, %v", name, n, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
			if bytes.Contains(stack, []byte("tracefile.(*File)")) ||
				bytes.Contains(stack, []byte("tracefile.Open")) {
				t.Errorf("%s: a goroutine is left:\n%s", name, stack)
			}
		}
	}
}
