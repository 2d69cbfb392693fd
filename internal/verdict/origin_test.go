// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdict

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// originProgram starts goroutines by one go statement, whose stacks are equally deep and have the
// same two innermost frames.
const originProgram = `package main

import "sync"

//go:noinline
func start(f func()) { go f() }

//go:noinline
func between(f func()) { start(f) }

//go:noinline
func first(f func()) { between(f) }

//go:noinline
func second(f func()) { between(f) }

//go:noinline
func deeper(f func()) { second(f) }

func main() {
	var all sync.WaitGroup
	all.Add(6)
	var a sync.Map
	first(func() { a.Store("key", 1); all.Done() })
	second(func() { a.Store("key", 2); all.Done() })
	var b sync.Map
	first(func() { b.Store("key", 1); all.Done() })
	deeper(func() { b.Store("key", 2); all.Done() })
	var c sync.Map
	second(func() { c.Store("key", 1); all.Done() })
	first(func() { c.Store("key", 2); all.Done() })
	all.Wait()
}
`

var createdAt = regexp.MustCompile(`created by goroutine \d+ at:\n`)

// TestOrigins compares where reports say that goroutines were started, by functions that take turns
// to come to one go statement.
func TestOrigins(t *testing.T) {
	t.Parallel()
	tool, dir := commute(t), t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/origins\n\ngo 1.26\n", "main.go": originProgram,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command(t, dir, tool, "build", "-o", "origins"+exe(), ".")
	cmd := exec.Command(filepath.Join(dir, "origins"+exe()))
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("nothing is found:\n%s", out)
	}
	var got []string // of each report, the origins of its goroutines
	for _, text := range strings.Split(string(out), "WARNING: ")[1:] {
		got = append(got, strings.Join(origins(t, text), ", "))
	}
	slices.Sort(got)
	const first, second = "start between first", "start between second"
	want := []string{first + ", " + second, first + ", " + second, first + ", " + second + " deeper"}
	if !slices.Equal(got, want) {
		t.Errorf("goroutines were started by %q, want %q:\n%s", got, want, out)
	}
}

// origins is the functions from the go statement to main, for each goroutine of a report; sorted.
func origins(t *testing.T, text string) (list []string) {
	for _, part := range createdAt.Split(text, -1)[1:] {
		stack, _, ok := strings.Cut(part, "  main.main()\n")
		if !ok {
			t.Fatalf("a goroutine is not started by main:\n%s", text)
		}
		var functions []string
		for line := range strings.Lines(stack) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "main."); ok {
				functions = append(functions, strings.TrimSuffix(name, "()"))
			}
		}
		list = append(list, strings.Join(functions, " "))
	}
	slices.Sort(list)
	return list
}
