// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const someFile = "commute-explore 1 go1.26.8 example.com/m TestLost seed 7K3M9QF2 policy again " +
	`points 57 hash 1c6ecae47c8d0d24
# a comment

d 6 1 from 1.1 m_test.go:17 lock to 1.2 - begin
d 12 2 from - - - to 1 sub/b.go:4 write_lock
x 17 timer1 came 40 1c6ecae47c8d0d24 1000000000200
x 17 1.3 left 41 a 2
end
`

// TestFiles reads a file, and what it writes of it.
func TestFiles(t *testing.T) {
	want := &File{Go: "go1.26.8", Package: "example.com/m", Test: "TestLost", Number: 0x38e744dde2,
		Policy: engine.Again, Points: 57, Hash: "1c6ecae47c8d0d24",
		Decisions: []FileDecision{
			{6, 1, Stand{"1.1", "m_test.go:17", "lock"}, Stand{"1.2", "-", "begin"}},
			{12, 2, none, Stand{"1", "sub/b.go:4", "write_lock"}}},
		Arrivals: []FileArrival{
			{Came, 40, 17, "timer1", 0x1c6ecae47c8d0d24, 1000000000200},
			{Left, 41, 17, "1.3", 10, 2}}}
	f, err := ParseFile("f", someFile)
	if err != nil {
		t.Fatal(err)
	}
	want.Number = f.Number
	if !reflect.DeepEqual(f, want) || (Seed{Number: f.Number}).number() != "7K3M9QF2" {
		t.Errorf("%+v", f)
	}
	if got := f.Seed().String(); got != "x1-forced-7K3M9QF2-6.1-12.2" {
		t.Errorf("its seed is %s", got)
	}
	again, err := ParseFile("f", f.String())
	if err != nil || !reflect.DeepEqual(f, again) {
		t.Errorf("%v: %+v", err, again)
	}
	dir := t.TempDir()
	name, err := f.Keep(dir, []string{"a diagram", "  of two lines"})
	if err != nil || filepath.Dir(name) != filepath.Join(dir, "TestLost") {
		t.Fatal(name, err)
	}
	if again, err = ReadFile(name); err != nil || !reflect.DeepEqual(f, again) {
		t.Errorf("%v: %+v", err, again)
	}
	if other, err := f.Keep(dir, nil); err != nil || other != name {
		t.Errorf("the same schedule is kept as %s and %s: %v", name, other, err)
	}
}

// TestCutFiles cuts a file at each byte: no part is taken for a whole.
func TestCutFiles(t *testing.T) {
	for n := range len(someFile) {
		f, err := ParseFile("f", someFile[:n])
		var in *FileError
		if !errors.As(err, &in) || f != nil {
			t.Fatalf("%q is taken: %v", someFile[:n], err)
		}
		if lines := strings.Count(someFile[:n], "\n") + 1; in.Line != lines {
			t.Errorf("%q: %v, want line %d", someFile[:n], err, lines)
		}
	}
}

// TestFileErrors expects each mistake to be told with its place.
func TestFileErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"commute-explore", "commute", `f:1:1: want "commute-explore", and there is "commute": it`},
		{" 1 go", " 2 go", "f:1:17: it is of version 2, and this commute reads version 1: use"},
		{"TestLost", "Lost", `f:1:42: "Lost" is no test function: `},
		{"7K3M9QF2", "7K3M9QFU", "f:1:56: a seed's number has 8 digits and letters, without"},
		{"again", "never", `f:1:72: there is no policy "never": use the release`},
		{"points 57", "points x", `f:1:85: "x" is not a number of points, from 0 on: `},
		{"hash 1c", "hash zz", `f:1:93: "zz6ecae47c8d0d24" is no hash: `},
		{"0d24\n", "0d24 d\n", `f:1:110: "d" is too much: `},
		{"d 6 1", "d 0 1", `f:4:3: "0" is not the number of a decision, from 1 on: `},
		{"d 12 2", "d 6 2", "f:5:3: decisions are not in order: "},
		{"m_test.go:17 lock", "m_test.go lock", `f:4:16: "m_test.go" is no place, as file.go:12: `},
		{" - begin", " -", "f:4:42: the line ends, and a kind of operation is missing: the file"},
		{"x 17 1.3", "x 16 1.3", "f:7:3: arrivals are not in order: "},
		{"left 41", "left 39", "f:7:15: arrivals are not in order: "},
		{"left", "right", `f:7:10: want came, left or asked, and there is "right": it has`},
		{"41 a 2", "41 z 2", `f:7:18: "z" is no goroutine's number: it has`},
		{"41 a 2", "41 a -2", `f:7:20: "-2" is no number, from 0 on: it has`},
		{"x 17 1.3", "y 17 1.3", `f:7:1: "y" begins no line: want d, x or end: use`},
		{"\nend\n", "\n", `f:8:1: the line "end" is missing: the file is cut; restore it`},
		{"\nend\n", "\nend\nd\n", "f:9:1: there is more after the end: "},
		{someFile, "", "f:1:1: there is no schedule in it: "},
		{someFile, "# x\n", "f:2:1: there is no schedule in it: "},
	} {
		text := strings.Replace(someFile, c.from, c.to, 1)
		if _, err := ParseFile("f", text); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q for %q: %v, want %s", c.to, c.from, err, c.want)
		}
	}
}

// FuzzParseFile reads any text: what is taken is written, and read, as the same.
func FuzzParseFile(f *testing.F) {
	f.Add(someFile)
	f.Add(strings.ReplaceAll(someFile, "\n", "\r\n"))
	f.Add("commute-explore 1 a b TestX seed 00000000 policy first points 0 hash 0\nend\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ParseFile("f", text)
		if err != nil {
			var in *FileError
			if !errors.As(err, &in) || in.Line < 1 || in.Column < 1 || in.Cause == "" ||
				in.Mend == "" || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%#v", err)
			}
			return
		}
		again, err := ParseFile("f", file.String())
		if err != nil || !reflect.DeepEqual(file, again) {
			t.Fatalf("%v\n%s\n%s", err, text, file)
		}
		if _, err := ParseSeeds(file.Seed().String()); err != nil {
			t.Fatal(err)
		}
	})
}

// TestApplies changes what a file says of a random run: each difference is told, and none of the
// run itself.
func TestApplies(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	told := 0
	for range 300 {
		l, switches := randomLog(r)
		s := &Schedule{log: l, Points: 5, Hash: "5"}
		ran := &run{ended: true, log: l, points: 5, hash: "5"}
		f := s.file("go1.26.8", "p", "TestX", "/no/such")
		if len(f.Decisions) != switches {
			t.Fatalf("%d decisions, want %d", len(f.Decisions), switches)
		}
		if text := f.differs(ran, "/no/such"); text != "" {
			t.Fatalf("a run is not its own: %s", text)
		}
		moved := *f
		moved.Decisions = nil
		for _, d := range f.Decisions {
			d.From.Place = "other.go:1"
			moved.Decisions = append(moved.Decisions, d)
		}
		if text := moved.differs(ran, "/no/such"); text != "" {
			t.Fatalf("lines that have moved matter: %s", text)
		}
		ran.hash = "6"
		l.arrivals = randomArrivals(r)
		if text := f.differs(ran, "/no/such"); !strings.Contains(text, "gone another way") ||
			!strings.HasSuffix(text, fromOutside(l.arrivals)) {
			t.Fatalf("another hash: %s", text)
		}
		if switches == 0 {
			continue
		}
		d := &f.Decisions[r.Intn(switches)]
		change := []func(){func() { d.Decision += 1000 }, func() { d.Choice += 10 },
			func() { d.From.Goroutine = "7" }, func() { d.To.Kind = "send" }}
		change[r.Intn(len(change))]()
		if text := f.applies(ran, "/no/such"); !strings.Contains(text,
			fmt.Sprintf("decision %d", d.Decision)) {
			t.Fatalf("decision %d is changed: %q", d.Decision, text)
		}
		told++
	}
	if told < 100 {
		t.Errorf("only %d have been changed", told)
	}
}

// TestKeptFolder lists what is kept for a package.
func TestKeptFolder(t *testing.T) {
	dir := t.TempDir()
	if list, err := Files(dir); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
	for _, name := range []string{"TestA/2.schedule", "TestA/1.schedule", "TestB/x.schedule",
		"TestA/y.txt", "other/z.schedule", "a.schedule"} {
		name = filepath.Join(dir, KeptFolder, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, err := Files(dir)
	for i := range list {
		list[i] = strings.TrimPrefix(filepath.ToSlash(list[i]), filepath.ToSlash(dir)+"/")
	}
	if want := []string{KeptFolder + "/TestA/1.schedule", KeptFolder + "/TestA/2.schedule",
		KeptFolder + "/TestB/x.schedule"}; err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v %v", list, err)
	}
}
