// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command cases runs instrumented code and compares what it does, and in which order, with what it should.
package main

import (
	"fmt"
	"os"
	"strings"
)

var log []string

func say(what string) int {
	log = append(log, what)
	return len(log)
}

// A test runs f; "A( ... A)" in want is a transaction of the function or variable A, "A{ ... A}" one
// of a block in it, and "A[ ... A]" one of a literal.
type test struct {
	name string
	f    func()
	want string
}

func main() {
	if len(os.Args) > 1 {
		positions()
		return
	}
	for _, list := range [][]test{functions, blocks, loops, returns, literals, odd} {
		for _, t := range list {
			log = nil
			t.f()
			if got := strings.Join(log, " "); got != t.want {
				fmt.Printf("%s:\ngot  %s\nwant %s\n", t.name, got, t.want)
			}
			count++
		}
	}
	fmt.Println("ran", count)
}

var count int

// guard runs f, and says what it panics with.
func guard(f func()) {
	defer func() {
		if r := recover(); r != nil {
			say(fmt.Sprint("recovered:", r))
		}
	}()
	f()
}

// elsewhere runs f on another goroutine, and waits.
func elsewhere(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	<-done
}
