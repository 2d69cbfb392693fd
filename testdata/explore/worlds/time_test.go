// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package worlds

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// TestRightTimeout has a client that waits no longer than it says, and a server that never answers.
func TestRightTimeout(t *testing.T) {
	over := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-over
	}))
	defer s.Close()
	defer close(over)
	client := *s.Client()
	client.Timeout = 20 * time.Millisecond
	if r, err := client.Get(s.URL); err == nil {
		t.Errorf("there is an answer: %v", r)
	}
}

// TestRightDeadline copies input without end, until the deadline: it takes its time to come.
func TestRightDeadline(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer w.Close()
	wg.Go(func() {
		var err error
		for text := make([]byte, 1<<16); err == nil; _, err = w.Write(text) {
		}
	})
	if err := r.SetDeadline(time.Now().Add(20 * time.Millisecond)); err != nil {
		t.Skip(err)
	}
	n := 0
	for buf := make([]byte, 1<<16); err == nil; n++ {
		_, err = r.Read(buf)
	}
	t.Logf("%d reads", n)
	if explored := os.Getenv("COMMUTE_EXPLORE") != ""; !errors.Is(err, os.ErrDeadlineExceeded) ||
		explored && n > 3000 {
		t.Errorf("%d reads until %v", n, err)
	}
}

// TestRightCopy copies without end, until the deadline. Buffers are large: who sends seldom waits.
func TestRightCopy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		io.Copy(io.Discard, c)
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Millisecond))
	n := 0
	for text := make([]byte, 1<<10); err == nil; n++ {
		_, err = c.Write(text)
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) || n > 40_000 {
		t.Errorf("%d writes until %v", n, err)
	}
}

// TestRightPipe copies in memory until a timer ends it. All that is done is the library's own.
func TestRightPipe(t *testing.T) {
	a, b := net.Pipe()
	time.AfterFunc(20*time.Millisecond, func() { b.Close() })
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(io.Discard, a) })
	n := 0
	var err error
	for text := make([]byte, 1<<10); err == nil; n++ {
		_, err = b.Write(text)
	}
	wg.Wait()
	if explored := os.Getenv("COMMUTE_EXPLORE") != ""; explored && n > 100_000 {
		t.Errorf("%d writes until %v", n, err)
	}
}

// TestRightFile looks in a loop for a file that another goroutine makes. Nothing else lets that run.
func TestRightFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3 {
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	n := 0
	for ; ; n++ {
		if _, err := os.Stat(name); err == nil {
			break
		}
	}
	wg.Wait()
	if n > 100_000 {
		t.Errorf("there is a file after looking %d times", n)
	}
}

// TestRightPoll looks for what a child does, and sleeps in between.
func TestRightPoll(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+name)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			return
		}
		if time.Since(start) > 10*time.Second {
			t.Fatal("there is no file after 10 seconds")
		}
	}
}

// TestRightLock takes a lock that another goroutine takes again at once when it has let go of it:
// who waits for long is the next one.
func TestRightLock(t *testing.T) {
	var mu sync.Mutex
	got := make(chan struct{})
	go func() {
		time.Sleep(50 * time.Microsecond)
		mu.Lock()
		close(got)
		mu.Unlock()
	}()
	late := time.After(10 * time.Second)
	for {
		mu.Lock()
		time.Sleep(time.Millisecond)
		mu.Unlock()
		select {
		case <-got:
			return
		case <-late:
			t.Fatal("the other goroutine has not got the lock in 10 seconds")
		default:
		}
	}
}
