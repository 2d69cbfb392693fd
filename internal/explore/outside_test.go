// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

const outsideModule = "../internal/explore/testdata/outside"

// logged runs a test by default, with its log. It fails the test if nothing is known of the run.
func logged(t *testing.T, b *Binary, name string, s Seed) *batch {
	t.Helper()
	ran, err := b.process(processPlan{test: name, timeout: time.Minute, log: true, seeds: []Seed{s}})
	if err != nil || len(ran.runs) != 1 || !ran.runs[0].ended || ran.runs[0].log == nil {
		t.Fatalf("%s: nothing is told: %v\n%s", name, err, ran.output)
	}
	return ran
}

// TestArrivalsLogged runs programs in which something comes from outside. The log says what, and a
// file has it.
func TestArrivalsLogged(t *testing.T) {
	b := build(t, outsideModule, "")
	for _, c := range []struct{ test, env, value, want string }{
		{"TestOrder", "ORDER", "echo a >&3; read x; echo b >&4", "1.2 came"},
		{"TestTimer", "TIMER", "read x; echo a >&3", "1.1 came"},
		{"TestWait", "SCRIPT", "read x", "1 left, 1 came"},
	} {
		t.Setenv(c.env, c.value)
		t.Setenv("WAIT", "20ms")
		ran := logged(t, b, c.test, Seed{Policy: engine.First})
		r := &ran.runs[0]
		s := scheduleOf(r, Seed{Policy: engine.First})
		f := s.file("go1.26", "p", c.test, b.here())
		var words []string
		for i, x := range f.Arrivals {
			words = append(words, x.Goroutine+" "+x.word())
			if x.Name == 0 || x.Turn == 0 || x.Point > r.points || !x.Left && x.Number == 0 ||
				i > 0 && x.Turn < f.Arrivals[i-1].Turn {
				t.Errorf("%s: %+v", c.test, x)
			}
		}
		if got := strings.Join(words, ", "); !strings.Contains(got, c.want) {
			t.Errorf("%s: from outside: %s, want %s", c.test, got, c.want)
		}
		again, err := ParseFile("f", f.String())
		if err != nil || !reflect.DeepEqual(again, f) {
			t.Errorf("%s: %v\n%s", c.test, err, f)
		}
	}
}

// randomArrivals are made up, in order.
func randomArrivals(r *rand.Rand) (list []FileArrival) {
	turn, point := 0, 0
	for range r.Intn(20) {
		turn, point = turn+r.Intn(3), point+r.Intn(2)
		list = append(list, FileArrival{r.Intn(3) == 0, turn, point,
			fmt.Sprintf("1.%d", 1+r.Intn(9)), r.Uint64(), r.Int63() >> r.Intn(60)})
	}
	return list
}

// TestArrivalFiles writes arrivals that are made up, and reads them.
func TestArrivalFiles(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		f := &File{Go: "go1.26", Package: "p", Test: "TestX", Hash: "1", Arrivals: randomArrivals(r)}
		again, err := ParseFile("f", f.String())
		if err != nil || !reflect.DeepEqual(again, f) {
			t.Fatalf("%v\n%s", err, f)
		}
		text := fromOutside(f.Arrivals)
		if named := strings.Count(text, "goroutine "); named != min(5, len(f.Arrivals)) ||
			(text == "") != (named == 0) {
			t.Fatalf("of %d: %s", len(f.Arrivals), text)
		}
	}
}
