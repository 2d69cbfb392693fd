// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package trace

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// TestNames compares names with a map: of all lengths, short ones by their keys too, many of which
// begin or end alike.
func TestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	n := NewNames("V")
	numbers := make(map[string]uint32)
	for range 200000 {
		name := fmt.Sprint("prefix"[:r.IntN(7)], r.IntN(20000), "suffix"[:r.IntN(7)])
		want, ok := numbers[name]
		got, found := n.Find([]byte(name))
		if found != ok || ok && got != want {
			t.Fatalf("%s is number %d, %v, want %d, %v", name, got, found, want, ok)
		}
		if got, _ = n.Intern([]byte(name)); !ok {
			want = uint32(len(numbers))
			numbers[name] = want
		}
		if got != want || n.Name(got) != name || n.Len() != len(numbers) {
			t.Fatalf("%s is number %d, %s, of %d, want %d of %d", name, got, n.Name(got), n.Len(),
				want, len(numbers))
		}
		if len(name) <= ShortName {
			word := binary.LittleEndian.Uint64(append([]byte(name), "|garbage"...))
			if got, ok := n.Short(ShortKey(word, len(name))); got != want || !ok {
				t.Fatalf("%s is number %d by its key, want %d", name, got, want)
			}
		}
	}
}

func TestDefaultNames(t *testing.T) {
	n := NewNames("T")
	n.Set(3, "main")
	n.Set(1, "T1")
	n.Set(2, "T3")
	for number, want := range []string{"T0", "T1", "T3", "main", "T4"} {
		if got := n.Name(uint32(number)); got != want {
			t.Errorf("%d is %s, want %s", number, got, want)
		}
		if got, want := n.Default(uint32(number)), number != 2 && number != 3; got != want {
			t.Errorf("that the name of %d is by its number is %v", number, got)
		}
	}
	labels := NewLabels(n, ",")
	n.Set(5, "a b,c")
	n.Set(6, "main")
	n.Set(7, "T0")
	for number, want := range []string{"T0", "T1", "T3", "main", "T4", "a_b_c", "main#6", "T0#7"} {
		if got := string(labels.Of(uint32(number))); got != want {
			t.Errorf("%d is labelled %s, want %s", number, got, want)
		}
	}
}

func TestEventString(t *testing.T) {
	tables := NewTables()
	tables.Vars.Set(0, "x")
	for want, e := range map[string]event.Event{
		"T1: read x": {Op: event.Read, Thread: 1}, "T0: end": {Op: event.End},
		"T0: fork T2":          {Op: event.Fork, Target: 2},
		"T0: touch O1.P2":      {Op: event.Touch, Target: 1, Point: 2},
		"T0: release-merge L3": {Op: event.ReleaseMerge, Target: 3},
	} {
		if got := tables.String(&e); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := tables.Pos(1<<32 - 5); got != "-5" {
		t.Errorf("position is %s, want -5", got)
	}
}
