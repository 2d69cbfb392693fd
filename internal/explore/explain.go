// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// What Go's runtime says of a failure is explained in a sentence.

// panics are messages of panics and fatal errors, and what is wrong.
var panics = []struct{ message, why string }{
	{"panic: close of closed channel", "a channel is closed twice: to look whether it is closed and " +
		"to close it has to be one step, as with a sync.Once or under a lock"},
	{"panic: close of nil channel", "a channel is closed that has not been made by then"},
	{"panic: send on closed channel", "a goroutine sends to a channel that was closed before: who " +
		"closes it has to know that nobody will send"},
	{"panic: sync: negative WaitGroup counter", "Done was called more often than Add has counted by " +
		"then: Add has to come before the goroutine that calls Done is started"},
	{"panic: sync: WaitGroup misuse: Add called concurrently with Wait", "Add has to come before " +
		"Wait: not in the goroutine that is waited for, but before it is started"},
	{"panic: sync: WaitGroup is reused before previous Wait has returned", "a WaitGroup counts anew " +
		"while somebody still waits for what it has counted before"},
	{"fatal error: sync: unlock of unlocked mutex", "a lock is let go that nobody has"},
	{"fatal error: sync: Unlock of unlocked RWMutex", "a lock is let go that nobody has"},
	{"fatal error: sync: RUnlock of unlocked RWMutex", "a lock for reading is let go that nobody has"},
	{"fatal error: concurrent map writes", "two goroutines write a map at once"},
	{"fatal error: concurrent map read and map write", "a goroutine reads a map while another one " +
		"writes it"},
	{"fatal error: concurrent map iteration and map write", "a goroutine ranges over a map while " +
		"another one writes it"},
}

// states are what goroutines wait for, by the words of the runtime.
var states = []struct{ state, what string }{
	{"sync.Cond.Wait", "for a sync.Cond"},
	{"sync.WaitGroup.Wait", "for a sync.WaitGroup"},
	{"sync.Mutex.Lock", "for a lock"},
	{"sync.RWMutex.RLock", "for a lock, to read"},
	{"sync.RWMutex.Lock", "for a lock, to write"},
	{"semacquire", "for a lock"},
	{"chan receive (nil chan)", "to receive from a nil channel"},
	{"chan send (nil chan)", "to send to a nil channel"},
	{"chan receive", "to receive from a channel"},
	{"chan send", "to send to a channel"},
	{"select (no cases)", "for ever"},
	{"select", "in a select"},
}

// explain says in sentences what the output of a test that has failed means, as far as Go's own
// runtime has ended it.
func explain(output []byte) (lines []string) {
	text := string(output)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		for _, p := range panics {
			if line == p.message || strings.HasPrefix(line, p.message+" [recovered") {
				return []string{p.why}
			}
		}
	}
	if i := strings.Index(text, "\npanic: test timed out after "); i >= 0 || strings.HasPrefix(text,
		"panic: test timed out after ") {
		return explainWaits(text[max(i, 0):])
	}
	if i := strings.Index(text, "fatal error: all goroutines are asleep - deadlock!\n"); i >= 0 {
		return explainWaits(text[i:])
	}
	return nil
}

// inStack finds the file and line of each frame.
var inStack = regexp.MustCompile(`(?m)^\t(\S.*\.go):(\d+)(?: |$)`)

// mostWaits is how many goroutines are named.
const mostWaits = 4

// explainWaits says what goroutines of a dump wait for, and where in the program's own code.
// Package testing is in each dump of a test, so it tells where the standard library is.
func explainWaits(dump string) (lines []string) {
	std := ""
	for _, m := range inStack.FindAllStringSubmatch(dump, -1) {
		if before, ok := strings.CutSuffix(m[1], "testing/testing.go"); ok {
			std = before
		}
	}
	n, cond := 0, false
	var parts []string
	for block := range strings.SplitSeq(dump, "\n\n") {
		m := waiting.FindStringSubmatch(strings.TrimLeft(block, "\n"))
		if m == nil || std == "" {
			continue
		}
		stack, _, _ := strings.Cut(block, "\ncreated by ")
		place := ""
		for _, f := range inStack.FindAllStringSubmatch(stack, -1) {
			if !strings.HasPrefix(f[1], std) && f[1] != "_testmain.go" {
				place = path.Base(f[1]) + ":" + f[2]
				break
			}
		}
		what := ""
		for _, s := range states {
			if what == "" && strings.HasPrefix(m[1], s.state) {
				what = s.what
			}
		}
		if place == "" || what == "" {
			continue
		}
		cond = cond || m[1] == "sync.Cond.Wait"
		if n++; n <= mostWaits {
			id := strings.Fields(strings.TrimLeft(block, "\n"))[1]
			parts = append(parts, fmt.Sprintf("goroutine %s waits %s at %s", id, what, place))
		}
	}
	if n > mostWaits {
		parts = append(parts, fmt.Sprintf("and %d more wait", n-mostWaits))
	}
	if len(parts) > 0 {
		lines = append(lines, strings.Join(parts, ", "))
	}
	if cond {
		lines = append(lines, "a Cond wakes who waits already: a signal before that is lost, unless "+
			"what it tells is changed under the Cond's lock")
	}
	return lines
}
