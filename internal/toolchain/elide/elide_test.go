// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package elide

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// source has functions with repeats, and without.
const source = `package p

type T struct {
	a, b int
	list []int
}

var lock, unlock func()

func Swap(x []int, i, j int) bool { // two reads, then two that repeat them, and two writes
	if x[i] < x[j] {
		x[i], x[j] = x[j], x[i]
		return true
	}
	return false
}

func Twice(t *T) { // the second lock ends what is known
	lock()
	t.a++
	unlock()
	lock()
	t.a++
	unlock()
}

func Once(t *T) int { return t.b }

func Sum(t *T) (n int) { // in each turn the list is read twice, and the second time repeats
	for i := 0; i < len(t.list); i++ {
		n += t.list[i]
	}
	return n
}

func Shaped[K comparable, V any](m map[K]V, f func(K) V, list []K) { // its dictionary is read
	for _, k := range list {
		m[k] = f(k)
	}
}

func (s *Set[K]) Add(k K) { s.m[k] = true } // so is that of the type

type Set[K comparable] struct{ m map[K]bool }

func Use() (func(map[int]string, func(int) string, []int), func(*Set[int], int)) {
	return Shaped[int, string], (*Set[int]).Add
}

func Kind(n int, p *int) int { // a table of jumps
	*p = n
	switch n {
	case 0:
		return *p
	case 1:
		return *p + 3
	case 2:
		return *p + 5
	case 3:
		return *p * 3
	case 4:
		return *p * 5
	case 5:
		return *p - 1
	case 6:
		return *p - 2
	case 7:
		return *p - 3
	case 8:
		return -*p
	}
	return 0
}
`

// compiled compiles the source with accesses announced, and returns the archive's path.
func compiled(t testing.TB) string {
	t.Helper()
	needGo(t)
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module p\n\ngo 1.26\n", "p.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "p.a")
	cmd := exec.Command("go", "build", "-gcflags=-race -d=checkptr=0", "-o", out, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=",
		"GOWORK=off", "GOAMD64=v1")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, text)
	}
	return out
}

// needGo skips a test on machines that only run it, as those of other ports do.
func needGo(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
}

func goroot(t testing.TB) string {
	t.Helper()
	needGo(t)
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestFile leaves repeats out of a compiled package. No other byte changes.
func TestFile(t *testing.T) {
	name := compiled(t)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	n, err := File(goroot(t), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(n)
	if n.Repeats < 2 || n.Calls < 20 {
		t.Errorf("%+v", n)
	}
	after, err := os.ReadFile(name)
	if err != nil || len(after) != len(before) {
		t.Fatal(err, len(after), len(before))
	}
	changed := 0
	for i, b := range before {
		if b != after[i] {
			changed++
			if b != opcodeCall || after[i] != opcodeTest || !bytes.Equal(after[i+1:i+5],
				make([]byte, 4)) {
				t.Errorf("byte %#x is %#x, was %#x", i, after[i], b)
			}
		}
	}
	if changed != n.Repeats {
		t.Errorf("%d bytes have changed, not %d", changed, n.Repeats)
	}
	// What is left out is no call any more, so that nothing is found again that needs it.
	if again, err := File(goroot(t), name); err != nil || again.Repeats != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	want := map[string]int{"p.Swap": 2, "p.Twice": 0, "p.Once": 0, "p.Sum": 1, "p.Kind": 0,
		"p.Shaped[go.shape.int,go.shape.string]": 1, "p.(*Set[go.shape.int]).Add": 1}
	for f, left := range leftOut(t, name) {
		if w, ok := want[f]; ok && w != left {
			t.Errorf("%s has %d calls left out, want %d", f, left, w)
		}
		delete(want, f)
	}
	if len(want) > 0 {
		t.Errorf("not in the archive: %v", want)
	}
}

// leftOut counts the calls that are left out of functions, as objdump shows them.
func leftOut(t *testing.T, name string) map[string]int {
	t.Helper()
	out, err := exec.Command("go", "tool", "objdump", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[string]int)
	f := ""
	for line := range strings.Lines(string(out)) {
		if rest, ok := strings.CutPrefix(line, "TEXT "); ok {
			f, _, _ = strings.Cut(rest, "(SB)")
			left[f] += 0
		} else if strings.Contains(line, "R_CALL:runtime.race") && strings.Contains(line, "TEST") {
			left[f]++
		}
	}
	return left
}

// TestOtherFiles has files that stay as they are.
func TestOtherFiles(t *testing.T) {
	good, err := os.ReadFile(compiled(t))
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(good, []byte(magic))
	newer := slices.Clone(good)
	newer[at+3]++ // the number of the format
	arm := bytes.Replace(slices.Clone(good), []byte("go object linux amd64"),
		[]byte("go object linux arm64"), -1)
	for name, data := range map[string][]byte{
		"empty": nil, "text": []byte("hello"), "newer": newer, "arm64": arm,
		"half": good[:len(good)/2], "header": good[:at+20],
	} {
		file := filepath.Join(t.TempDir(), "p.a")
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if n, err := File(goroot(t), file); err == nil || n.Repeats > 0 {
			t.Errorf("%s: %+v, %v", name, n, err)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, data) {
			t.Errorf("%s has changed: %v", name, err)
		}
	}
	if n, err := File(t.TempDir(), filepath.Join(t.TempDir(), "p.a")); err == nil {
		t.Errorf("no release: %+v", n)
	}
}

// TestReleases reads the lists of builtin functions of the releases that are there.
func TestReleases(t *testing.T) {
	roots, _ := filepath.Glob(filepath.Join(filepath.Dir(goroot(t)), "toolchain@*"))
	for _, root := range append(roots, goroot(t)) {
		text, err := os.ReadFile(filepath.Join(root, "src/cmd/internal/goobj/builtinlist.go"))
		if err != nil {
			t.Error(err)
			continue
		}
		callees, err := builtinCallees(string(text))
		if err != nil || len(callees) < 4 {
			t.Errorf("%s: %v, %v", root, callees, err)
		}
	}
	if _, err := builtinCallees("{\"runtime.raceread\", 1},\n"); err == nil {
		t.Error("a list without all hooks is taken")
	}
}

// FuzzObject has files that are no objects, or broken ones: nothing but calls may be changed.
func FuzzObject(f *testing.F) {
	text, err := os.ReadFile(filepath.Join(goroot(f), "src/cmd/internal/goobj/builtinlist.go"))
	if err != nil {
		f.Skip(err)
	}
	good, err := os.ReadFile(compiled(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, []byte(nil), false)
	f.Add(100, []byte{255}, false)
	f.Add(len(good)/2, []byte{1, 2, 3}, true)
	f.Fuzz(func(t *testing.T, at int, with []byte, alone bool) {
		file := slices.Clone(good)
		if at >= 0 && at < len(file) {
			copy(file[at:], with)
		}
		if alone {
			file = with
		}
		callees, err := builtinCallees(string(text))
		if err != nil {
			t.Fatal(err)
		}
		_, places, _ := repeats(file, callees)
		for _, p := range places {
			if file[p] != opcodeCall {
				t.Errorf("no call is at %d", p)
			}
		}
	})
}

func BenchmarkFile(b *testing.B) {
	name := compiled(b)
	good, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(goroot(b), "src/cmd/internal/goobj/builtinlist.go"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		callees, err := builtinCallees(string(text))
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := repeats(good, callees); err != nil {
			b.Fatal(err)
		}
	}
}
