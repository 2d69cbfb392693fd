// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command cases runs functions with accesses of all forms, and prints what they return, where they
// panic, and in which order they call others.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
)

// log is what a case says.
var log []string

func say(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }

// here says which line of a case calls it.
func here() {
	_, _, line, _ := runtime.Caller(1)
	say("line %d", line)
}

// run runs a case, and says where it panics: in which line of these files.
func run(name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			pcs := make([]uintptr, 32)
			frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs)])
			for more := true; more; {
				var fr runtime.Frame
				fr, more = frames.Next()
				if strings.HasPrefix(fr.Function, "main.") && !strings.Contains(fr.Function, "main.run") &&
					!strings.Contains(fr.Function, "commute_") {
					say("panic in %s:%d: %v", fr.Function, fr.Line, r)
					break
				}
			}
		}
		fmt.Println(name, strings.Join(log, "; "))
		log = nil
	}()
	f()
}

// done comes at the end.
var done = func() {}

// speaks is whether each touch is to be written.
const speaks = false

func main() {
	var names []string
	for name := range cases {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		run(name, cases[name])
	}
	done()
}
