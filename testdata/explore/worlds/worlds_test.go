// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package worlds

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// childVariable makes the test binary a child process: one that copies its input, or one that makes
// the file of the name.
const childVariable = "COMMUTE_TEST_CHILD"

// wrong skips a test that may fail, unless its schedules are explored.
func wrong(t *testing.T) {
	if os.Getenv("COMMUTE_EXPLORE") == "" {
		t.Skip("it may fail: run it with commute test -explore")
	}
}

// requests are served by a goroutine that is older than all tests.
var requests = make(chan func(*int))

func TestMain(m *testing.M) {
	switch name := os.Getenv(childVariable); name {
	case "":
	case "copy":
		time.Sleep(time.Millisecond)
		io.Copy(os.Stdout, os.Stdin)
		os.Exit(0)
	default:
		time.Sleep(50 * time.Millisecond)
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	var done sync.WaitGroup
	done.Go(func() {
		value := 0
		for r := range requests {
			r(&value)
		}
	})
	code := m.Run()
	if os.Getenv("EXPLORE_TWICE") != "" {
		code = max(code, m.Run())
	}
	close(requests)
	done.Wait()
	os.Exit(code)
}

// request has the goroutine of TestMain call a function.
func request(f func(*int)) {
	done := make(chan struct{})
	requests <- func(p *int) {
		f(p)
		close(done)
	}
	<-done
}

// setup adds one to the value of TestMain's goroutine, in two goroutines: in one request, or in one
// that reads and one that writes.
func setup(t *testing.T, add func()) {
	request(func(p *int) { *p = 0 })
	var wg sync.WaitGroup
	wg.Go(add)
	wg.Go(add)
	wg.Wait()
	request(func(p *int) {
		if *p != 2 {
			t.Errorf("the value is %d", *p)
		}
	})
}

func TestRightSetup(t *testing.T) { setup(t, func() { request(func(p *int) { *p++ }) }) }

func TestWrongSetup(t *testing.T) {
	wrong(t)
	setup(t, func() {
		var v int
		request(func(p *int) { v = *p })
		request(func(p *int) { *p = v + 1 })
	})
}

// A counter is added to at once, or by a load and a store.
type counter struct {
	n     atomic.Int32
	wrong bool
}

func (c *counter) add() {
	if c.wrong {
		c.n.Store(c.n.Load() + 1)
		return
	}
	c.n.Add(1)
}

func (c *counter) check(t *testing.T, want int32) {
	if n := c.n.Load(); n != want {
		t.Errorf("%d of %d are counted", n, want)
	}
}

// subtests run in parallel, in groups, with what cleans up.
func subtests(t *testing.T, c *counter) {
	t.Cleanup(func() { c.check(t, 8) })
	for range 2 {
		t.Run("group", func(t *testing.T) {
			t.Parallel()
			for range 2 {
				t.Run("sub", func(t *testing.T) {
					t.Parallel()
					t.Cleanup(c.add)
					time.Sleep(time.Second)
					c.add()
				})
			}
		})
	}
}

func TestRightSubtests(t *testing.T) { subtests(t, &counter{}) }

func TestWrongSubtests(t *testing.T) {
	wrong(t)
	subtests(t, &counter{wrong: true})
}

// Parallel tests at the top are alone in their runs.
func TestRightTop(t *testing.T) {
	t.Parallel()
	subtests(t, &counter{})
}

func bubble(t *testing.T, c *counter) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		for range 2 {
			go func() {
				time.Sleep(time.Hour)
				c.add()
			}()
		}
		ticks := 0
		ticker := time.NewTicker(time.Minute)
		for ticks < 59 {
			<-ticker.C
			ticks++
		}
		ticker.Stop()
		synctest.Wait()
		c.check(t, 0)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		c.check(t, 2)
		if d := time.Since(start); d != 61*time.Minute {
			t.Errorf("61 minutes took %v", d)
		}
	})
}

func TestRightBubble(t *testing.T) { bubble(t, &counter{}) }

func TestWrongBubble(t *testing.T) {
	wrong(t)
	bubble(t, &counter{wrong: true})
}

// served has two clients of a server.
func served(t *testing.T, c *counter) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.add()
		io.Copy(w, r.Body)
	}))
	defer s.Close()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			text := fmt.Sprint("text", i)
			r, err := s.Client().Post(s.URL, "text/plain", strings.NewReader(text))
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if b, err := io.ReadAll(r.Body); string(b) != text || err != nil {
				t.Errorf("%q %v", b, err)
			}
		})
	}
	wg.Wait()
	c.check(t, 2)
}

func TestRightServer(t *testing.T) { served(t, &counter{}) }

func TestWrongServer(t *testing.T) {
	wrong(t)
	served(t, &counter{wrong: true})
}

// TestRightProcesses talks with children that are of the same program.
func TestRightProcesses(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), childVariable+"=copy")
			text := fmt.Sprint("text", i)
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.Output(); string(out) != text || err != nil {
				t.Errorf("%q %v", out, err)
			}
		})
	}
	wg.Wait()
}

// TestRightNested has package testing run a benchmark and other tests inside of a test.
func TestRightNested(t *testing.T) {
	add := func() {
		var c counter
		var wg sync.WaitGroup
		wg.Go(c.add)
		wg.Go(c.add)
		wg.Wait()
		c.check(t, 2)
	}
	testing.Benchmark(func(b *testing.B) {
		for i := 0; i < min(b.N, 3); i++ {
			add()
		}
	})
	inner := testing.InternalTest{Name: "TestInner", F: func(*testing.T) { add() }}
	all := func(string, string) (bool, error) { return true, nil }
	if !testing.RunTests(all, []testing.InternalTest{inner}) {
		t.Error("a test inside of the test fails")
	}
}

// TestRightFails has package testing run a test inside of a test that fails, as it is to. Then there
// is no further run in the process.
func TestRightFails(t *testing.T) {
	inner := testing.InternalTest{Name: "TestInner", F: func(t *testing.T) {
		var c counter
		var wg sync.WaitGroup
		wg.Go(c.add)
		wg.Go(c.add)
		wg.Wait()
		c.check(t, 2)
		t.Fail()
	}}
	all := func(string, string) (bool, error) { return true, nil }
	if testing.RunTests(all, []testing.InternalTest{inner}) {
		t.Error("a test inside of the test passes")
	}
}

var registered = map[string]bool{}

// register fails if a test is run again in a process.
func register(t *testing.T, c *counter) {
	if registered[t.Name()] {
		panic(t.Name() + " is registered twice")
	}
	registered[t.Name()] = true
	var wg sync.WaitGroup
	wg.Go(c.add)
	wg.Go(c.add)
	wg.Wait()
	c.check(t, 2)
}

func TestRightRegister(t *testing.T) { register(t, &counter{}) }

func TestWrongRegister(t *testing.T) {
	wrong(t)
	register(t, &counter{wrong: true})
}
