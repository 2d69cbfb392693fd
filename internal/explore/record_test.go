// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	engine "github.com/commutego/commute/internal/engine/explore"
)

// randomRecord is made up.
func randomRecord(r *rand.Rand) *record {
	c := &record{build: "b", hash: fmt.Sprintf("%x", r.Uint64()), points: r.Intn(99),
		whole: r.Intn(2) == 0}
	for _, x := range randomArrivals(r) {
		c.events = append(c.events, event{stand: Stand{x.Goroutine, "-", "-"}, arrival: &x})
		for range r.Intn(4) {
			c.events = append(c.events, event{stand: Stand{fmt.Sprint(r.Intn(3)), "a_test.go:7",
				"lock"}, object: r.Intn(3)})
		}
	}
	return c
}

// TestRecords writes records that are made up, reads them, and cuts them: no part is a record.
func TestRecords(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		c := randomRecord(r)
		again, ok := parseRecord(c.String())
		if !ok || !reflect.DeepEqual(again, c) {
			t.Fatalf("%s\n%s", c, again)
		}
		if text := c.String(); len(text) > 5 {
			if _, ok := parseRecord(text[:r.Intn(len(text)-4)]); ok {
				t.Fatalf("a part of it is taken:\n%s", text)
			}
		}
	}
}

// TestRecordParts changes one event of a record, takes it out, or adds one, and expects the first
// event that differs to be found, as by a comparison of texts.
func TestRecordParts(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	found := 0
	for range 2000 {
		c := randomRecord(r)
		c.whole = true
		o := &record{hash: c.hash, whole: true, events: append([]event(nil), c.events...)}
		if c.parts(o) != -1 || c.differs(o, "a", "b") != "" {
			t.Fatalf("a run differs from itself:\n%s", c)
		}
		if len(c.events) == 0 {
			continue
		}
		i := r.Intn(len(c.events))
		other := event{stand: Stand{fmt.Sprint(r.Intn(3)), "a_test.go:7", "lock"}, object: r.Intn(3)}
		switch r.Intn(3) {
		case 0:
			o.events[i] = other
		case 1:
			o.events = append(o.events[:i], o.events[i+1:]...)
		case 2:
			o.events = append(o.events[:i], append([]event{other}, o.events[i:]...)...)
		}
		want := -1
		key := func(e event) string {
			if e.arrival != nil {
				return e.arrival.word() + " " + e.stand.Goroutine
			}
			return fmt.Sprint(e.stand, e.object)
		}
		for k := 0; want < 0 && k < max(len(c.events), len(o.events)); k++ {
			if k >= len(c.events) || k >= len(o.events) || key(c.events[k]) != key(o.events[k]) {
				want = k
			}
		}
		got := c.parts(o)
		if got != want {
			t.Fatalf("they part at %d, want %d:\n%s\n%s", got, want, c, o)
		}
		if got < 0 {
			continue
		}
		found++
		text := c.differs(o, "expected", "got")
		if !strings.HasPrefix(text, fmt.Sprintf("event %d, after %s that ", want+1,
			count(want, "event"))) || !strings.Contains(text, ", got ") {
			t.Fatalf("event %d: %s", want, text)
		}
	}
	if found < 1000 {
		t.Errorf("only %d differ", found)
	}
}

// TestRecorder keeps more records than there is room for: the newest are left. What was cut, or is
// no record, is as if it were not there.
func TestRecorder(t *testing.T) {
	r := &recorder{dir: filepath.Join(t.TempDir(), "new", "folder"), build: "b", pkg: "p"}
	seeds := func(n int) []Seed { return []Seed{{Policy: engine.Random, Number: uint64(n)}} }
	random := rand.New(rand.NewSource(1))
	begin := time.Now().Add(-time.Hour)
	var last *record
	for i := range mostRecords + 20 {
		last = randomRecord(random)
		r.keep("TestX", seeds(i), last)
		when := begin.Add(time.Duration(i) * time.Second)
		if err := os.Chtimes(r.name("TestX", seeds(i)), when, when); err != nil {
			t.Fatal(err)
		}
	}
	r.trim()
	files, err := os.ReadDir(r.dir)
	if err != nil || len(files) != mostRecords {
		t.Errorf("%d files: %v", len(files), err)
	}
	if got := r.find("TestX", seeds(mostRecords+19)); !reflect.DeepEqual(got, last) {
		t.Errorf("the last one is %v", got)
	}
	if r.find("TestX", seeds(3)) != nil || r.find("TestY", seeds(mostRecords+19)) != nil {
		t.Error("there is one that was removed, or never was")
	}
	name := r.name("TestX", seeds(mostRecords+19))
	if err := os.Truncate(name, int64(len(last.String())-2)); err != nil {
		t.Fatal(err)
	}
	if r.find("TestX", seeds(mostRecords+19)) != nil {
		t.Error("what is cut is taken")
	}
	none := &recorder{dir: "/dev/null/x"}
	none.keep("TestX", seeds(1), last)
	if none.find("TestX", seeds(1)) != nil {
		t.Error("there is one where none can be")
	}
}

// recordedProgram goes another way if environment variables are set.
var recordedProgram = strings.NewReplacer("// before it waits", `if os.Getenv("MORE") != "" {
		mu.Lock()
		mu.Unlock()
	}
	if os.Getenv("FILE") != "" && first() {
		wg.Go(add)
		wg.Wait()
		return
	}`, "// more functions", `func first() bool {
	f, err := os.OpenFile(os.Getenv("FILE"), os.O_CREATE|os.O_EXCL, 0o666)
	f.Close()
	return err == nil
}`).Replace(lostUpdate)

// TestReplaySays replays a seed as it was reported, in a program that goes another way, and where
// nothing is known of the run.
func TestReplaySays(t *testing.T) {
	t.Parallel()
	m := newModule(t, recordedProgram)
	out := m.expect(1, "A=", "test -explore .", `^    schedule: 1 forced switch of 7 points`)
	replay := "test " + regexp.MustCompile(`replay: commute test (-replay=\S+)`).
		FindStringSubmatch(out)[1] + " ."
	m.expect(1, "A=", replay, `^--- FAIL: TestLost \(replayed\)$`, "not: (?i)event")
	m.expect(0, "MORE=1", replay, `^commute: the run is not the one that was reported: event 3, `+
		`after 2 events that are the same: expected goroutine 1 at m_test.go:34 \(wait\), `+
		`got goroutine 1 at m_test.go:26 \(lock\)$`)
	for _, e := range m.env {
		if dir, ok := strings.CutPrefix(e, "XDG_CACHE_HOME="); ok {
			if err := os.RemoveAll(filepath.Join(dir, "commute")); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.expect(1, "A=", replay, `^commute: nothing is known here of the run that was reported; it was `+
		`made twice: the runs agree in all of 7 events$`)
	m.expect(0, "FILE="+filepath.Join(m.dir, "made"), replay, `it was made twice: the runs part at `+
		`event \d+, after \d+ events that are the same: one has goroutine 1`)
}
