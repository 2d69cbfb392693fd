// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A client of its own has connections of its own.
func client(server *httptest.Server) *http.Client {
	transport := server.Client().Transport.(*http.Transport).Clone()
	return &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client, url string) {
	t.Helper()
	response, err := client.Get(url)
	must(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	must(t, err)
	must(t, response.Body.Close())
	client.CloseIdleConnections()
}

// handling serves what a function does.
func handling(do func()) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		do()
		_, _ = io.WriteString(w, "done")
	})
}

// clients have two clients get from a server, each by way of each function.
func clients(t *testing.T, server *httptest.Server, each func(a, b func())) {
	t.Cleanup(server.Close)
	a, b := client(server), client(server)
	each(func() { get(t, a, server.URL) }, func() { get(t, b, server.URL) })
}

func atOnce(a, b func()) { together(a, b) }

func TestRaceHTTP(t *testing.T) {
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() { c.get() })), atOnce)
}

// TestRaceHTTPShared has two goroutines that share a client. Its requests have a connection each,
// as the server has both at once.
func TestRaceHTTPShared(t *testing.T) {
	c := new(cache)
	var began [2]flag
	var first sync.Once
	s := httptest.NewServer(handling(func() {
		mine, other := &began[1], &began[0]
		first.Do(func() { mine, other = other, mine })
		mine.raise()
		other.await()
		c.get()
	}))
	t.Cleanup(s.Close)
	one := func() { getKept(t, s.Client(), s.URL) }
	together(one, one)
}

// TestRaceHTTPSharedDialing has two goroutines that share a client, too. The first request is done
// while there is a connection made for the second. That one would use the connection of the first.
func TestRaceHTTPSharedDialing(t *testing.T) {
	c := new(cache)
	s := httptest.NewServer(handling(func() { c.get() }))
	t.Cleanup(s.Close)
	var connected, dialing, answered flag
	shared := client(s)
	dial := shared.Transport.(*http.Transport).DialContext
	shared.Transport.(*http.Transport).DialContext = func(ctx context.Context,
		network, address string) (net.Conn, error) {
		if connected.raised() {
			dialing.raise()
			answered.await()
		}
		conn, err := dial(ctx, network, address)
		connected.raise()
		return conn, err
	}
	together(func() {
		response, err := shared.Get(s.URL)
		must(t, err)
		_, err = io.ReadFull(response.Body, make([]byte, 1))
		must(t, err)
		dialing.await()
		answered.raise()
		_, err = io.Copy(io.Discard, response.Body)
		must(t, err)
		must(t, response.Body.Close())
	}, func() {
		connected.await()
		getKept(t, shared, s.URL)
	})
	shared.CloseIdleConnections()
}

// TestConnectionEach wants two goroutines that share a client to have a connection each, long after
// requests that one goroutine alone has made while another one ran. It needs a process of its own,
// which is watched: else they share one.
func TestConnectionEach(t *testing.T) {
	if os.Getenv("COMMUTE_CONNECTIONS") == "" {
		t.Skip("COMMUTE_CONNECTIONS is not set")
	}
	s := httptest.NewServer(handling(func() {}))
	t.Cleanup(s.Close)
	var dialed atomic.Int32
	shared := client(s)
	dial := shared.Transport.(*http.Transport).DialContext
	shared.Transport.(*http.Transport).DialContext = func(ctx context.Context,
		network, address string) (net.Conn, error) {
		dialed.Add(1)
		return dial(ctx, network, address)
	}
	var alone, answered flag
	go alone.await()
	for range 20 {
		getKept(t, shared, s.URL)
	}
	alone.raise()
	before := dialed.Load()
	together(func() {
		response, err := shared.Get(s.URL)
		must(t, err)
		answered.raise()
		_, err = io.Copy(io.Discard, response.Body)
		must(t, err)
		must(t, response.Body.Close())
	}, func() {
		answered.await()
		for began := time.Now(); time.Since(began) < 2*time.Millisecond; {
			runtime.Gosched()
		}
		getKept(t, shared, s.URL)
	})
	if n := dialed.Load() - before; n != 1 {
		t.Errorf("%d connections more, want 1", n)
	}
	shared.CloseIdleConnections()
}

func TestRaceHTTPInTurn(t *testing.T) {
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() { c.get() })), inTurn)
}

func TestRaceHTTPSInTurn(t *testing.T) {
	c := new(cache)
	clients(t, httptest.NewTLSServer(handling(func() { c.get() })), inTurn)
}

// TestRaceHTTPSCollected has what the library keeps of the first client's connection, and of its
// certificate, collected before the second one connects. That the collector comes after all is no
// order of the two.
func TestRaceHTTPSCollected(t *testing.T) {
	c := new(cache)
	s := httptest.NewTLSServer(handling(func() { c.get() }))
	clients(t, s, func(a, b func()) {
		inTurn(func() {
			a()
			collect()
		}, b)
	})
}

// collect returns when what can be collected is, and the cleanups have run, of which each batch may
// free more.
func collect() {
	for range 4 {
		var ran flag
		runtime.AddCleanup(new([64]byte), (*flag).raise, &ran)
		for !ran.raised() {
			runtime.GC()
		}
	}
}

func TestRaceHTTP2InTurn(t *testing.T) {
	c := new(cache)
	s := httptest.NewUnstartedServer(handling(func() { c.get() }))
	s.EnableHTTP2 = true
	s.StartTLS()
	clients(t, s, inTurn)
}

// TestRaceHTTPKept has clients that have their connections from before.
func TestRaceHTTPKept(t *testing.T) {
	c := new(cache)
	var connected flag
	s := httptest.NewServer(handling(func() {
		if connected.raised() {
			c.get()
		}
	}))
	t.Cleanup(s.Close)
	a, b := client(s), client(s)
	getKept(t, a, s.URL)
	getKept(t, b, s.URL)
	connected.raise()
	inTurn(func() { getKept(t, a, s.URL) }, func() { getKept(t, b, s.URL) })
}

func getKept(t *testing.T, client *http.Client, url string) {
	t.Helper()
	response, err := client.Get(url)
	must(t, err)
	_, err = io.Copy(io.Discard, response.Body)
	must(t, err)
	must(t, response.Body.Close())
}

func TestRaceHTTPLogs(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	must(t, err)
	closeAtEnd(t, null)
	logger := log.New(null, "", log.LstdFlags)
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() {
		logger.Print("begin")
		c.get()
		logger.Print("end")
		fmt.Fprintln(null, "end")
	})), inTurn)
}

func TestRaceHTTPFile(t *testing.T) {
	name := t.TempDir() + "/file"
	must(t, os.WriteFile(name, oneByte, 0o600))
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() {
		_, err := os.ReadFile(name)
		must(t, err)
		c.get()
	})), inTurn)
}

func TestRaceHTTPContext(t *testing.T) {
	c := new(cache)
	s := httptest.NewUnstartedServer(handling(func() { c.get() }))
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	s.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	s.Start()
	clients(t, s, inTurn)
}

func TestRaceHTTPMux(t *testing.T) {
	c := new(cache)
	mux := http.NewServeMux()
	mux.Handle("GET /", handling(func() { c.get() }))
	clients(t, httptest.NewServer(mux), inTurn)
}

// TestRaceHTTPUnix has sockets within the machine.
func TestRaceHTTPUnix(t *testing.T) {
	c := new(cache)
	l := listen(t, "unix")
	s := &http.Server{Handler: handling(func() { c.get() })}
	closeAtEnd(t, s)
	go func() { _ = s.Serve(l) }()
	one := func() {
		get(t, &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, "unix", l.Addr().String())
			},
		}}, "http://localhost/")
	}
	inTurn(one, one)
}

// TestNoRaceHTTPAfter has the second client start when the first has its response.
func TestNoRaceHTTPAfter(t *testing.T) {
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() { c.get() })), func(a, b func()) {
		done := make(chan bool)
		together(func() { a(); close(done) }, func() { <-done; b() })
	})
}

// TestNoRaceHTTPClient calls before a request, in the handler and after the response.
func TestNoRaceHTTPClient(t *testing.T) {
	for _, start := range []func(*httptest.Server){
		(*httptest.Server).Start, (*httptest.Server).StartTLS,
		func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	} {
		c := new(cache)
		s := httptest.NewUnstartedServer(handling(func() { c.get() }))
		start(s)
		t.Cleanup(s.Close)
		c.get()
		get(t, client(s), s.URL)
		c.set()
	}
}

// TestNoRaceHTTPOneConnection has requests of two clients on one connection: they are served by one
// goroutine.
func TestNoRaceHTTPOneConnection(t *testing.T) {
	c := new(cache)
	s := httptest.NewServer(handling(func() { c.get() }))
	t.Cleanup(s.Close)
	one := func() { getKept(t, s.Client(), s.URL) }
	inTurn(one, one)
}

// TestNoRaceHTTPShutdown calls when all handlers are done.
func TestNoRaceHTTPShutdown(t *testing.T) {
	c := new(cache)
	var started flag
	s := httptest.NewServer(handling(func() { started.raise(); c.get() }))
	together(func() { get(t, client(s), s.URL) }, func() {
		started.await()
		must(t, s.Config.Shutdown(context.Background()))
		c.set()
	})
	s.Close()
}

func TestNoRaceHTTPClose(t *testing.T) {
	c := new(cache)
	var started flag
	s := httptest.NewServer(handling(func() { started.raise(); c.get() }))
	together(func() { get(t, client(s), s.URL) }, func() {
		started.await()
		s.Close()
		c.set()
	})
}

// TestNoRaceHTTPHook has calls by a hook that httptest makes one after the other.
func TestNoRaceHTTPHook(t *testing.T) {
	c := new(cache)
	s := httptest.NewUnstartedServer(handling(func() {}))
	s.Config.ConnState = func(net.Conn, http.ConnState) { c.get() }
	s.Start()
	clients(t, s, inTurn)
}

// TestNoRaceLogWriter has a writer that only the lock of its logger guards.
func TestNoRaceLogWriter(t *testing.T) {
	var w writer
	logger := log.New(&w, "", 0)
	print := func() { logger.Print("text") }
	inTurn(print, print)
}

type writer struct{ cache }

func (w *writer) Write(b []byte) (int, error) {
	w.get()
	return len(b), nil
}
