// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package io

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestNoRaceDeadline has a goroutine learn from an error that another one has set a deadline.
func TestNoRaceDeadline(t *testing.T) {
	for _, p := range []pair{tcp, netPipe, osPipes} {
		for _, waiting := range []bool{false, true} {
			c := new(cache)
			end, _ := p(t)
			r, _ := end.(interface{ SetReadDeadline(time.Time) error })
			if pipes, ok := end.(twoPipes); ok {
				r = pipes.Reader.(*os.File)
			}
			var reading flag
			together(func() {
				reading.await()
				c.get()
				must(t, r.SetReadDeadline(time.Unix(1, 0)))
			}, func() {
				if waiting {
					reading.raise()
				}
				if _, err := end.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Error(err)
				}
				c.set()
			}, reading.raise)
		}
	}
}

// TestNoRaceReset has a goroutine learn from an error that the other end was closed.
func TestNoRaceReset(t *testing.T) {
	for _, before := range []bool{false, true} {
		c := new(cache)
		a, b := connection(t, "tcp")
		if before {
			send(t, a)
			receive(t, b)
		}
		must(t, b.(*net.TCPConn).SetLinger(0))
		inTurn(func() {
			c.get()
			must(t, b.Close())
		}, func() {
			if _, err := a.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				t.Error(err)
			}
			c.set()
		})
	}
}

// TestNoRaceBroken has a goroutine learn from an error that nobody reads what it writes.
func TestNoRaceBroken(t *testing.T) {
	for _, p := range []pair{local, osPipes, sockets} {
		for _, before := range []bool{false, true} {
			c := new(cache)
			a, b := p(t)
			if before {
				send(t, a)
				receive(t, b)
			}
			inTurn(func() {
				c.get()
				if pipes, ok := b.(twoPipes); ok {
					must(t, pipes.Reader.(io.Closer).Close())
				} else {
					must(t, b.Close())
				}
			}, func() {
				if _, err := a.Write(oneByte); !errors.Is(err, syscall.EPIPE) {
					t.Error(err)
				}
				c.set()
			})
		}
	}
}

// TestNoRaceRawEnded has pipes that package syscall closes.
func TestNoRaceRawEnded(t *testing.T) {
	for _, before := range []bool{false, true} {
		c := new(cache)
		var p [2]int
		must(t, syscall.Pipe(p[:]))
		closeAtEnd(t, raw(p[0]))
		if before {
			send(t, raw(p[1]))
			receive(t, raw(p[0]))
		}
		inTurn(func() {
			c.get()
			must(t, syscall.Close(p[1]))
		}, func() {
			if n, err := syscall.Read(p[0], make([]byte, 1)); n != 0 || err != nil {
				t.Error(n, err)
			}
			c.set()
		})
	}
}
