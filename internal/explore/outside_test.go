// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
	"github.com/commutego/commute/internal/longtest"
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
		{"TestOrder", "ORDER", "echo a >&3; read x; sleep NAP; echo b >&4", "1.2 came"},
		{"TestTimer", "TIMER", "read x; echo a >&3", "1.1 came"},
		{"TestWait", "SCRIPT", "read x", "1 left, 1 came"},
	} {
		var f *File
		// What is there before the program waits for it has not come. So the line comes later and
		// later, as a machine may be slow.
		for nap, got := 0.05, ""; !strings.Contains(got, c.want); nap *= 2 {
			if nap > 10 {
				t.Fatalf("%s: from outside: %s, want %s", c.test, got, c.want)
			}
			value := strings.ReplaceAll(c.value, "NAP", fmt.Sprint(nap))
			f, got = arrivals(t, b.with(c.env+"="+value, "WAIT=20ms"), c.test)
		}
		again, err := ParseFile("f", f.String())
		if err != nil || !reflect.DeepEqual(again, f) {
			t.Errorf("%s: %v\n%s", c.test, err, f)
		}
	}
}

// arrivals runs a test by default. It returns the run's file, and in words what came from outside.
func arrivals(t *testing.T, b *Binary, name string) (f *File, words string) {
	t.Helper()
	seed := Seed{Policy: engine.First}
	r := &logged(t, b, name, seed).runs[0]
	f = scheduleOf(r, seed).file("go1.26", "p", name, b.here())
	var list []string
	for i, x := range f.Arrivals {
		list = append(list, x.Goroutine+" "+x.word())
		if x.Name == 0 || x.Turn == 0 || x.Point > r.points || x.How == Came && x.Number == 0 ||
			i > 0 && x.Turn < f.Arrivals[i-1].Turn {
			t.Errorf("%s: %+v", name, x)
		}
	}
	return f, strings.Join(list, ", ")
}

// TestToldReplays makes runs again in which something comes from outside, by their logs. What comes
// comes earlier then, later, or not in that order, and the runs are the same. What doesn't come at
// all, or wasn't there before, is said.
func TestToldReplays(t *testing.T) {
	b := build(t, outsideModule, "")
	t.Setenv("WAIT", "1m")
	type outcome struct{ script, want string } // of the replay; what it says if it is another run
	for _, c := range []struct {
		test, env, script string
		again             []outcome
	}{
		{"TestWait", "SCRIPT", "read x", []outcome{{"read x", ""}, {"exit", ""}}},
		{"TestTimer", "TIMER", "read x; echo a >&3", []outcome{{"read x; echo a >&3", ""}}},
		{"TestTimer", "TIMER", "sleep 0.1; echo a >&3", []outcome{{"late", ""}}},
		{"TestOrder", "ORDER", "sleep 0.1; echo a >&3; sleep 0.1; echo b >&4", []outcome{
			{"sleep 0.1; echo b >&4; sleep 0.1; echo a >&3", ""},
			{"sleep 0.1; echo a >&3; exec sleep 0.1", `^event \d+, .* got the end; `},
			{"sleep 0.1; echo b >&4; sleep 5.3; exit", "^after 3 points goroutine 1.1 has waited for " +
				"something outside for 5 seconds, and was not to wait"}}},
		{"TestOrder", "ORDER", "echo a >&3; echo b >&4", []outcome{
			{"sleep 0.2; echo b >&4; sleep 0.2; echo a >&3", ""}}},
	} {
		t.Setenv(c.env, c.script)
		if c.script == "read x; echo a >&3" {
			t.Setenv("WAIT", "50ms")
		} else {
			t.Setenv("WAIT", "1m")
		}
		s := Seed{Policy: engine.First}
		want := &logged(t, b, c.test, s).runs[0]
		if len(want.log.arrivals) == 0 && !strings.HasPrefix(c.script, "echo a") {
			t.Errorf("%s: nothing comes from outside", c.test)
		}
		if c.again[0].script == "late" { // the timer is due before, by the real time, and not by the log
			at := time.Duration(want.log.arrivals[len(want.log.arrivals)-1].Number - 1e12)
			t.Setenv("WAIT", (at + 100*time.Millisecond).String())
			c.again[0].script = fmt.Sprintf("sleep %.3f; echo a >&3", at.Seconds()+0.3)
		}
		for _, o := range c.again {
			if strings.Contains(o.script, "sleep 5") && !longtest.Asked() {
				continue
			}
			t.Setenv(c.env, o.script)
			ran, err := b.process(processPlan{test: c.test, timeout: time.Minute, log: true,
				seeds: []Seed{s}, told: []string{tellArrivals(want.log.arrivals, false)}})
			if err != nil || len(ran.runs) != 1 || !ran.runs[0].ended {
				t.Fatalf("%s with %q: %v\n%s", c.test, o.script, err, ran.output)
			}
			got := &ran.runs[0]
			differs := recordOf(want, "", "").differs(recordOf(got, "", ""), "expected", "got")
			said := ""
			if got.log.parting != nil {
				said = got.log.parting.text(want.log.arrivals)
			}
			if strings.HasPrefix(o.want, "^after") {
				differs = ""
			}
			if (differs+said == "") != (o.want == "") ||
				!regexp.MustCompile(o.want).MatchString(differs+said) {
				t.Errorf("%s with %q: %s\n%s\n%s", c.test, o.script, differs, said, ran.output)
			}
		}
	}
}

// TestToldUnexpected has more come from outside than is told.
func TestToldUnexpected(t *testing.T) {
	b := build(t, outsideModule, "")
	b = b.with("ORDER=sleep 0.1; echo a >&3; sleep 0.1; echo b >&4")
	s := Seed{Policy: engine.First}
	want := logged(t, b, "TestOrder", s).runs[0].log.arrivals
	ran, err := b.process(processPlan{test: "TestOrder", timeout: time.Minute, log: true,
		seeds: []Seed{s}, told: []string{tellArrivals(want[:len(want)-1], false)}})
	if err != nil || ran.failed || len(ran.runs) != 1 || ran.runs[0].log.parting == nil {
		t.Fatalf("it has not parted: %v\n%s", err, ran.output)
	}
	if got := ran.runs[0].log.parting.text(nil); got != "after 4 points goroutine 1.2 has come "+
		"from outside, and was not to come" {
		t.Error(got)
	}
}

// randomArrivals are made up, in order.
func randomArrivals(r *rand.Rand) (list []FileArrival) {
	turn, point := 0, 0
	for range r.Intn(20) {
		turn, point = turn+r.Intn(3), point+r.Intn(2)
		list = append(list, FileArrival{How(r.Intn(3)), turn, point,
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
		come := 0
		for _, x := range f.Arrivals {
			if x.How != Asked {
				come++
			}
		}
		if named := strings.Count(text, "goroutine "); named != min(5, come) ||
			(text == "") != (named == 0) {
			t.Fatalf("of %d: %s", len(f.Arrivals), text)
		}
	}
}
