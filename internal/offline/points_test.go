// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lateTypes is the text of a trace in which each of some types has its access points defined where
// it is called for the first time. Two goroutines call each type once, unordered. In between, more
// events follow than a batch has. It returns the indices of the second calls.
func lateTypes(types int) (text string, races []uint64) {
	var b strings.Builder
	b.WriteString("commute trace 1\nDefinitions codec=plain\nGoroutine id=1 goid=1 parent=0 " +
		"pos=0 name=\"\"\n" +
		"Goroutine id=2 goid=2 parent=1 pos=0 name=\"\"\nEvents codec=plain first=0 low=1 " +
		"ordered=true\n" +
		"Go goroutine=1\nFork goroutine=2 pos=1\n")
	steps := 1
	for i := range types {
		fmt.Fprintf(&b, "Definitions codec=plain\nPoint id=%d type=\"T%[1]d\" "+
			"name=\"w\"\nConflict point=%[1]d other=%[1]d\n", i)
		events := batchSize + 2
		fmt.Fprintf(&b, "Events codec=plain first=%d low=%d ordered=true\n", steps, steps+events)
		fmt.Fprintf(&b, "Go goroutine=1\nTouch object=%d point=%[1]d pos=%d\n", i, 10+2*i)
		fmt.Fprintf(&b, "Go goroutine=2\nTouch object=%d point=%[1]d pos=%d\n", i, 11+2*i)
		races = append(races, uint64(steps+1))
		b.WriteString(strings.Repeat("Read var=1 pos=2\n", batchSize))
		steps += events
	}
	return b.String(), races
}

// TestPointsDefinedLate has checkers at work on earlier events while the reader takes the
// definitions of further types. Under -race it fails where checkers share what the reader changes.
func TestPointsDefinedLate(t *testing.T) {
	text, races := lateTypes(20)
	name := filepath.Join(t.TempDir(), "late.txt")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	at, n, err := found(name, false, Checks, true)
	if err != nil {
		t.Fatal(err)
	}
	if want := uint64(1 + 20*(batchSize+2)); n != want {
		t.Errorf("%d events, want %d", n, want)
	}
	if fmt.Sprint(at["commute"]) != fmt.Sprint(races) {
		t.Errorf("found at %v, want %v", at["commute"], races)
	}
}
