// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package spectest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/commutego/commute/ecl"
)

// TestInferEnds infers a type with methods that end the program or their goroutine. They are left
// out, and named; the others have their formulas.
func TestInferEnds(t *testing.T) {
	dir := module(t, `package m

import (
	"log"
	"os"
	"runtime"
)

type T struct{ m map[string]bool }

func NewT() *T { return &T{make(map[string]bool)} }

func (t *T) Add(k string) bool { had := t.m[k]; t.m[k] = true; return !had }
func (t *T) Len() int          { return len(t.m) }
func (t *T) Exit()             { os.Exit(3) }
func (t *T) Fatal(k string)    { log.Fatal("bad ", k) }
func (t *T) Leave()            { runtime.Goexit() }
`)
	var last, all int
	r, err := Infer(Inference{
		Options: Options{Dir: dir, Package: "example.com/m", Type: "T", Checks: 200, Seed: 1,
			Timeout: time.Minute},
		Support: 20,
		Directives: func(_, without map[string]bool) (lines []string) {
			for _, m := range []string{"mutator Add(k)/(added)", "observer Len()/(n)",
				"arbiter Exit()", "arbiter Fatal(k)", "arbiter Leave()"} {
				_, call, _ := strings.Cut(m, " ")
				if name, _, _ := strings.Cut(call, "("); !without[name] {
					lines = append(lines, "//ecl:"+m)
				}
			}
			return lines
		},
		Progress: func(done, pairs int, pair string) {
			if done < last && done != 0 || pair == "" {
				t.Errorf("%s is pair %d after %d", pair, done, last)
			}
			last, all = done, pairs
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if all != 15 || last != all-1 {
		t.Errorf("the last that was told of is pair %d of %d", last, all)
	}
	var idle []string
	for _, m := range r.Idle {
		idle = append(idle, fmt.Sprintf("%s: %s", m.Name, m.Why))
	}
	want := []string{"Exit: a call ends the program: exit status 3",
		"Fatal: a call ends the program: exit status 1",
		"Leave: no call returned: it calls runtime.Goexit"}
	if !slices.Equal(idle, want) {
		t.Errorf("got %q, want %q", idle, want)
	}
	text := strings.Join(r.Lines, "\n")
	if strings.Contains(text, "Exit") || strings.Contains(text, "Fatal") ||
		strings.Contains(text, "Leave") ||
		!strings.Contains(text, "Add(k1)/(added1), Add(k2)/(added2): k1 != k2") {
		t.Errorf("the specification is\n%s", text)
	}
	if _, err := ecl.Parse("", 1, 1, "//ecl:type example.com/m.T\n"+text+"\n"); err != nil {
		t.Error(err)
	}
}
