// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"errors"
	"io/fs"
	"net"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
)

var networks = []string{"tcp", "unix"}

// TestNoRaceAccepted has a goroutine accept the connection of another one, and read nothing.
func TestNoRaceAccepted(t *testing.T) {
	for _, network := range networks {
		c := new(cache)
		l := listen(t, network)
		together(func() {
			c.get()
			conn, err := net.Dial(network, l.Addr().String())
			must(t, err)
			closeAtEnd(t, conn)
		}, func() {
			conn, err := l.Accept()
			must(t, err)
			closeAtEnd(t, conn)
			c.set()
		})
	}
}

// TestNoRaceConnected has a goroutine connect itself as soon as another one listens.
func TestNoRaceConnected(t *testing.T) {
	for _, network := range networks {
		c := new(cache)
		address := t.TempDir() + "/socket"
		if network == "tcp" {
			l := listen(t, network)
			address = l.Addr().String()
			must(t, l.Close())
		}
		together(func() {
			c.get()
			l, err := net.Listen(network, address)
			must(t, err)
			closeAtEnd(t, l)
		}, func() {
			for {
				conn, err := net.Dial(network, address)
				if err == nil {
					closeAtEnd(t, conn)
					c.set()
					return
				}
			}
		})
	}
}

// TestNoRaceRefused has a goroutine learn from an error that nobody listens any more.
func TestNoRaceRefused(t *testing.T) {
	for _, network := range networks {
		c := new(cache)
		l := listen(t, network)
		together(func() {
			c.get()
			must(t, l.Close())
		}, func() {
			for {
				conn, err := net.Dial(network, l.Addr().String())
				if errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist) {
					break
				}
				if err == nil { // else the listener's queue is full
					closeAtEnd(t, conn)
				}
			}
			c.set()
		})
	}
}

// TestNoRaceRemoved has a goroutine learn that the file of a socket was removed.
func TestNoRaceRemoved(t *testing.T) {
	c := new(cache)
	l := listen(t, "unix").(*net.UnixListener)
	l.SetUnlinkOnClose(false)
	address := l.Addr().String()
	together(func() {
		c.get()
		must(t, os.Remove(address))
	}, func() {
		for {
			conn, err := net.Dial("unix", address)
			if errors.Is(err, fs.ErrNotExist) {
				break
			}
			if err == nil {
				closeAtEnd(t, conn)
			}
		}
		c.set()
	})
}

// TestRaceRefused has a goroutine find that nobody listens where nobody ever did: that is no news of
// another one.
func TestRaceRefused(t *testing.T) {
	c := new(cache)
	l := listen(t, "tcp")
	w, err := os.Create(t.TempDir() + "/file")
	must(t, err)
	closeAtEnd(t, w)
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	inTurn(func() {
		c.get()
		send(t, w)
	}, func() {
		if _, err := net.Dial("tcp", "[::1]:"+port); err == nil {
			t.Error("connected")
		}
		c.get()
	})
}

// TestRaceConnecting has connections to one listener: to make one orders nothing at another one.
func TestRaceConnecting(t *testing.T) {
	for _, network := range networks {
		c := new(cache)
		l := listen(t, network)
		accepted := make(chan net.Conn, 2)
		go func() {
			for range 2 {
				if conn, err := l.Accept(); err == nil {
					accepted <- conn
				}
			}
		}()
		var connected [2]net.Conn
		connect := func(i int) {
			conn, err := net.Dial(network, l.Addr().String())
			must(t, err)
			connected[i] = conn
		}
		inTurn(func() {
			c.get()
			connect(0)
		}, func() {
			connect(1)
			c.get()
		})
		for _, conn := range connected {
			closeAtEnd(t, conn)
			closeAtEnd(t, <-accepted)
		}
	}
}

// TestRaceHTTPReconnects has a client with a connection for each request.
func TestRaceHTTPReconnects(t *testing.T) {
	c := new(cache)
	clients(t, httptest.NewServer(handling(func() { c.get() })), func(a, b func()) {
		inTurn(func() { a(); a() }, b)
	})
}
