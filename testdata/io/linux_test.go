// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"net"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// What only Linux tells apart.

func TestRaceCrossedUnix(t *testing.T)    { crossed(t, local) }
func TestRaceCrossedPipes(t *testing.T)   { crossed(t, osPipes) }
func TestRaceCrossedSockets(t *testing.T) { crossed(t, sockets) }
func TestRaceBackUnix(t *testing.T)       { back(t, local) }
func TestRaceBackSockets(t *testing.T)    { back(t, sockets) }

// TestNoRaceReplaced has a descriptor that becomes another one of what it wasn't.
func TestNoRaceReplaced(t *testing.T) {
	for _, before := range []bool{false, true} {
		c := new(cache)
		a, b := osPipes(t)
		w := a.(twoPipes).WriteCloser.(*os.File)
		r := b.(twoPipes).Reader
		file, err := os.Create(t.TempDir() + "/file")
		must(t, err)
		closeAtEnd(t, file)
		if before {
			send(t, w)
			receive(t, r)
			send(t, file)
		}
		must(t, syscall.Dup3(int(w.Fd()), int(file.Fd()), syscall.O_CLOEXEC))
		inTurn(func() {
			c.get()
			send(t, file)
		}, func() {
			receive(t, r)
			c.set()
		})
	}
}

// TestNoRaceCopied has a pipe that is written by its descriptor, and by a copy that children
// inherit.
func TestNoRaceCopied(t *testing.T) {
	c := new(cache)
	a, b := osPipes(t)
	w := a.(twoPipes).WriteCloser.(*os.File)
	r := b.(twoPipes).Reader
	send(t, w)
	receive(t, r)
	fd, err := syscall.Dup(int(w.Fd()))
	must(t, err)
	file := os.NewFile(uintptr(fd), "copy")
	closeAtEnd(t, file)
	inTurn(func() {
		c.get()
		send(t, file)
	}, func() {
		receive(t, r)
		c.set()
	})
}

// TestNoRaceOwnCalls has a program that makes the system calls itself.
func TestNoRaceOwnCalls(t *testing.T) {
	call := func(t *testing.T, trap uintptr) func(fd uintptr) bool {
		return func(fd uintptr) bool {
			b := make([]byte, 1)
			_, _, err := syscall.Syscall(trap, fd, uintptr(unsafe.Pointer(&b[0])), 1)
			if err != 0 && err != syscall.EAGAIN {
				t.Error(err)
			}
			return err != syscall.EAGAIN
		}
	}
	c := new(cache)
	a, b := connection(t, "tcp")
	send(t, a)
	receive(t, b)
	control := func(conn net.Conn) syscall.RawConn {
		r, err := conn.(syscall.Conn).SyscallConn()
		must(t, err)
		return r
	}
	w, r := control(a), control(b)
	together(func() {
		c.get()
		must(t, w.Write(call(t, syscall.SYS_WRITE)))
	}, func() {
		must(t, r.Read(call(t, syscall.SYS_READ)))
		c.set()
	})
}
