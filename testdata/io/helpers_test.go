// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"io"
	"net"
	"runtime"
	"sync"
	"testing"
)

// A flag forces an interleaving without an edge: no detector sees its accesses.
type flag struct{ up bool }

//go:norace
//go:noinline
func (f *flag) raise() { f.up = true }

//go:norace
//go:noinline
func (f *flag) raised() bool { return f.up }

func (f *flag) await() {
	for !f.raised() {
		runtime.Gosched()
	}
}

// A cache is checked first, and then acted on.
type cache struct{ m sync.Map }

func (c *cache) get() any {
	if v, ok := c.m.Load("key"); ok {
		return v
	}
	v := new(int)
	c.m.Store("key", v)
	return v
}

func (c *cache) set() { c.m.Store("key", 1) }

// together runs functions in goroutines of their own, and waits for all.
func together(functions ...func()) {
	var all sync.WaitGroup
	for _, f := range functions {
		all.Go(f)
	}
	all.Wait()
}

// inTurn is together, but the second function starts when the first is done. Nothing orders the
// two.
func inTurn(a, b func()) {
	var done flag
	together(func() {
		defer done.raise()
		a()
	}, func() {
		done.await()
		b()
	})
}

// must ends the test if there is an error. It is for the goroutine of the test, or for one that
// can't go on either.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
		runtime.Goexit()
	}
}

func closeAtEnd(t *testing.T, c io.Closer) { t.Cleanup(func() { _ = c.Close() }) }

var oneByte = []byte{1}

func send(t *testing.T, w io.Writer) {
	t.Helper()
	_, err := w.Write(oneByte)
	must(t, err)
}

func receive(t *testing.T, r io.Reader) {
	t.Helper()
	_, err := io.ReadFull(r, make([]byte, 1))
	must(t, err)
}

// listen listens for connections of a network, "tcp" or "unix".
func listen(t *testing.T, network string) net.Listener {
	t.Helper()
	address := "127.0.0.1:0"
	if network == "unix" {
		address = t.TempDir() + "/socket"
	}
	l, err := net.Listen(network, address)
	must(t, err)
	closeAtEnd(t, l)
	return l
}

// connection returns both ends of a connection of a network.
func connection(t *testing.T, network string) (client, server net.Conn) {
	t.Helper()
	l := listen(t, network)
	accepted := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			accepted <- c
		}
	}()
	client, err := net.Dial(network, l.Addr().String())
	must(t, err)
	closeAtEnd(t, client)
	server = <-accepted
	closeAtEnd(t, server)
	return client, server
}
