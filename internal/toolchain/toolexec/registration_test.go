// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package toolexec

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// registering is a package that has one of each kind of what is registered.
const registering = `package a

import "sync"

var cache sync.Map //commute:concurrent readers poll

type server struct{ m [3]sync.Map }

var servers [2]*server

var one server

//ecl:mutator Put(k)/v
//ecl:commute Put(k1)/v1, Put(k2)/v2: k1 != k2
//ecl:also Put(k1)/v1, Put(k2)/v2: unused(v1) && unused(v2)
type Box struct{ n int }

func (b *Box) Put(k int) int { return k }

func f(b *Box) any {
	cache.Store(1, 2) //commute:ignore only a test
	v, ok := servers[0].m[1].Load(3)
	if !ok {
		servers[0].m[1].Store(3, 4)
	}
	b.Put(1)
	return v
}
`

// folder is that of a position in a literal.
var folder = regexp.MustCompile(`(pos|decl): "[^"]*/`)

// assembly is what the compiler makes of a package's files, with package sync imported.
func assembly(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	args := []string{"tool", "compile", "-S", "-p", "example.com/a", "-importcfg", importConfig(t),
		"-o", filepath.Join(dir, "a.a")}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
	}
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestRegistration compares what a package registers with what it is to be. The compiler makes
// static data of it, so that nothing of it has to be made when a program starts.
func TestRegistration(t *testing.T) {
	_, added := planned(t, registering)
	text := added["commute_register.go"]
	_, got, _ := strings.Cut(text, "\nvar commute_registered = ")
	want, err := os.ReadFile("testdata/registration.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got = folder.ReplaceAllString(got, `$1: "`); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	out := assembly(t, map[string]string{"a.go": registering, "register.go": text})
	if !strings.Contains(out, "example.com/a.commute_registered SDATA size=") {
		t.Errorf("the registration is no data:\n%s", out)
	}
	if strings.Contains(out, "\nexample.com/a.init STEXT") {
		t.Errorf("variables are set when the program starts:\n%s", out)
	}
}

// locking is a package that takes locks, and calls nothing else that is registered.
const locking = `package a

import "sync"

type box struct {
	mu sync.Mutex
	sync.RWMutex
}

var all [2]box

func (b *box) Lock() {}

func f(b *box, l sync.Locker) {
	l.Lock() // whose it is can't be told
	b.mu.Lock()
	b.RLock()
	all[1].RWMutex.TryLock()
	b.Lock()
	b.mu.Unlock()
}
`

// TestRegisteredLocks wants the calls that take locks with what the source calls those.
func TestRegisteredLocks(t *testing.T) {
	_, added := planned(t, locking)
	list := regexp.MustCompile(`line: (\d+), method: "(\w+)", .*name: "([\w.]+)"`).
		FindAllStringSubmatch(added["commute_register.go"], -1)
	var got []string
	for _, m := range list {
		got = append(got, strings.Join(m[1:], " "))
	}
	want := []string{"16 Lock box.mu", "17 RLock box.RWMutex", "18 TryLock box.RWMutex"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q\n%s", got, want, added["commute_register.go"])
	}
}
