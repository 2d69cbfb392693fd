// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
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

const recordedProgram = `package m

import (
	"os"
	"sync"
	"testing"
)

func TestLost(t *testing.T) {
	var mu sync.Mutex
	n := 0
	add := func() {
		mu.Lock()
		v := n
		mu.Unlock()
		mu.Lock()
		n = v + 1
		mu.Unlock()
	}
	var wg sync.WaitGroup
	wg.Go(add)
	wg.Go(add)
	if os.Getenv("MORE") != "" {
		mu.Lock()
		mu.Unlock()
	}
	if os.Getenv("FILE") != "" && first() {
		wg.Go(add)
		wg.Wait()
		return
	}
	wg.Wait()
	if n != 2 {
		t.Errorf("2 were added, and there are %d", n)
	}
}

func first() bool {
	f, err := os.OpenFile(os.Getenv("FILE"), os.O_CREATE|os.O_EXCL, 0o666)
	f.Close()
	return err == nil
}
`

// TestReplaySays replays a seed as it was reported, in a program that goes another way, and where
// nothing is known of the run.
func TestReplaySays(t *testing.T) {
	needExploring(t)
	path, err := tool()
	built = true
	if err != nil {
		t.Fatal(err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, replays := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/m\n\ngo 1.25\n",
		"m_test.go": recordedProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(code int, env string, args []string, want ...string) string {
		t.Helper()
		cmd := exec.Command(path, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOCACHE="+strings.TrimSpace(string(cache)),
			"XDG_CACHE_HOME="+replays, env)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		for _, w := range want {
			no, found := strings.CutPrefix(w, "not: ")
			if regexp.MustCompile("(?m)"+no).Match(out) == found {
				t.Errorf("commute %q: want %q", args, w)
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != code || t.Failed() {
			t.Fatalf("commute %q: code %d, want %d\n%s", args, got, code, out)
		}
		return string(out)
	}
	out := expect(1, "A=", []string{"test", "-explore", "."}, `^    schedule: 1 forced switch of 7 points`)
	m := regexp.MustCompile(`replay: commute test (-replay=\S+)`).FindStringSubmatch(out)
	replay := []string{"test", m[1], "."}
	expect(1, "A=", replay, `^--- FAIL: TestLost \(replayed\)$`, "not: (?i)event")
	expect(1, "MORE=1", replay, `^commute: the run is not the one that was reported: event 3, after 2 `+
		`events that are the same: expected goroutine 1 at m_test.go:32 \(wait\), `+
		`got goroutine 1 at m_test.go:24 \(lock\)$`)
	if err := os.RemoveAll(filepath.Join(replays, "commute")); err != nil {
		t.Fatal(err)
	}
	expect(1, "A=", replay, `^commute: nothing is known here of the run that was reported; it was `+
		`made twice: the runs agree in all of 7 events$`)
	expect(1, "FILE="+filepath.Join(dir, "made"), replay, `it was made twice: the runs part at event `+
		`\d+, after \d+ events that are the same: one has goroutine 1`)
}
