// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// calls is a package with small functions in each way that they are called.
const calls = `package main

import "fmt"

const speaks = false // what the fakes need

var done func()

var kept []func() int

type row []byte

func (r row) get(n int) byte { return r[n/2] >> (n & 1 * 4) & 15 }

func (r row) increment(n int) {
	v := r[n/2] >> (n & 1 * 4) & 15
	if v < 15 {
		r[n/2] += 1 << (n & 1 * 4)
	}
}

type sketch struct {
	rows [4]row
	n, m int
	next *sketch
}

// A caller that is inlined, and what is inlined in it.
func (s *sketch) bump(n int) {
	s.n++
	s.rows[0].increment(n)
}

func (s *sketch) tail() *sketch { return s.next }
func (s sketch) both() int      { return s.n + s.m }
func (s *sketch) self() *sketch { s.n++; return s }

// Calls whose operands are calls.
func (s *sketch) lift()  { s.tail().self().self().n++ }
func (s *sketch) heave() { s.tail().self().tail().self().tail().self().tail().self().n++ }

func add[T int | byte](s *sketch, v T) { s.n += int(v) }

func count(s *sketch, depth int) int {
	if depth == 0 {
		return s.n
	}
	return count(s.next, depth-1)
}

func large(s *sketch) {
	for i := range s.rows {
		fmt.Println(i, s.rows[i].get(i), s.rows[i].get(i+1))
		s.bump(i)
	}
}

func main() {
	s := &sketch{next: new(sketch)}
	s.next.next = s
	for i := range s.rows {
		s.rows[i], s.next.rows[i] = make(row, 8), make(row, 8)
	}
	s.bump(1)
	s.tail().
		self().
		bump(2)
	add(s, 3)
	s.lift()
	s.heave()
	func() {
		s.bump(3)
		kept = append(kept, func() int { return s.both() + s.tail().both() })
	}()
	fmt.Println(kept[0]())
	each := func(f func(*sketch)) {
		f(s)
		f(s.tail())
	}
	each(func(s *sketch) { s.bump(4) })
	each(func(s *sketch) { s.self().bump(5) })
	large(s)
	fmt.Println(count(s, 1))
}
`

// inlined lists the calls that the compiler inlines, with their places, those of wrappers not.
func inlined(t *testing.T, files map[string]string, profile []byte) map[string]bool {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example\n\ngo 1.26\n"
	files["profile.txt"] = string(profile)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	flags := "-gcflags=-m"
	if len(profile) > 0 {
		flags += " -pgoprofile=" + filepath.Join(dir, "profile.txt") + " " + ProfileFlags
	}
	cmd := exec.Command("go", "build", "-o", filepath.Join(dir, "p.exe"), flags, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	all := make(map[string]bool)
	line := regexp.MustCompile(`(?m)(p\.go:\d+):\d+: (inlining call to .*)$`)
	for _, m := range line.FindAllStringSubmatch(string(said), -1) {
		if call := m[1] + ": " + m[2]; !strings.Contains(call, "commute_") {
			all[call] = true
		}
	}
	return all
}

// TestInline has the compiler inline what it inlines in the package without touches.
func TestInline(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(calls), 0o666); err != nil {
		t.Fatal(err)
	}
	p := read("main", name)
	r := touched(t, p)
	r.Funcs, r.Facts = nil, []byte("of another package's functions")
	out, err := Generate(p, r)
	if err != nil {
		t.Fatal(err)
	}
	plain := inlined(t, map[string]string{"p.go": calls}, nil)
	without := inlined(t, instrumented(t, p, out), nil)
	with := inlined(t, instrumented(t, p, out), out.Profile)
	lost := 0
	for call := range plain {
		if !without[call] {
			lost++
		}
		if !with[call] && !strings.Contains(call, "add[") { // generic functions have no edges
			t.Errorf("no longer: %s", call)
		}
	}
	if lost < 10 {
		t.Errorf("only %d calls are not inlined without the profile", lost)
	}
	for call := range with {
		if !plain[call] {
			t.Errorf("only with touches: %s", call)
		}
	}
}
