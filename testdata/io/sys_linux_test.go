// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package io

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Package golang.org/x/sys/unix makes system calls itself.

// sysFD is a descriptor that it reads and writes.
type sysFD int

func (fd sysFD) Read(b []byte) (int, error)  { return unix.Read(int(fd), b) }
func (fd sysFD) Write(b []byte) (int, error) { return unix.Write(int(fd), b) }
func (fd sysFD) Close() error                { return unix.Close(int(fd)) }

func sysPipe(t *testing.T) (r, w sysFD) {
	t.Helper()
	var p [2]int
	must(t, unix.Pipe2(p[:], unix.O_CLOEXEC))
	return sysFD(p[0]), sysFD(p[1])
}

// TestNoRaceSysPipe tells another goroutine by a pipe, and then by its end.
func TestNoRaceSysPipe(t *testing.T) {
	c := new(cache)
	r, w := sysPipe(t)
	together(func() {
		c.get()
		send(t, w)
		must(t, w.Close())
	}, func() {
		receive(t, r)
		c.get()
		_, err := r.Read(make([]byte, 1))
		must(t, err)
		c.set()
		must(t, r.Close())
	})
}

// TestNoRaceSysClosed has a goroutine learn only that the other end of a pipe was closed.
func TestNoRaceSysClosed(t *testing.T) {
	c := new(cache)
	r, w := sysPipe(t)
	inTurn(func() {
		c.get()
		must(t, w.Close())
	}, func() {
		_, err := r.Read(make([]byte, 1))
		must(t, err)
		c.set()
		must(t, r.Close())
	})
}

// TestNoRaceSysMixed has a pipe of package os that is written by a copy of its descriptor.
func TestNoRaceSysMixed(t *testing.T) {
	c := new(cache)
	r, w, err := os.Pipe()
	must(t, err)
	closeAtEnd(t, r)
	closeAtEnd(t, w)
	send(t, w)
	receive(t, r)
	fd, err := unix.Dup(int(w.Fd()))
	must(t, err)
	closeAtEnd(t, sysFD(fd))
	inTurn(func() {
		c.get()
		send(t, sysFD(fd))
	}, func() {
		receive(t, r)
		c.set()
	})
}

// TestNoRaceSysEvent has an event that a goroutine waits for.
func TestNoRaceSysEvent(t *testing.T) {
	c := new(cache)
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	must(t, err)
	closeAtEnd(t, sysFD(fd))
	together(func() {
		c.get()
		_, err := unix.Write(fd, binary.NativeEndian.AppendUint64(nil, 1))
		must(t, err)
	}, func() {
		_, err := unix.Read(fd, make([]byte, 8))
		must(t, err)
		c.set()
	})
}

// TestNoRaceSysWatch has a goroutine watch a folder in which another one writes a file.
func TestNoRaceSysWatch(t *testing.T) {
	c := new(cache)
	dir := t.TempDir()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	must(t, err)
	closeAtEnd(t, sysFD(fd))
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_CLOSE_WRITE)
	must(t, err)
	together(func() {
		c.get()
		must(t, os.WriteFile(dir+"/file", oneByte, 0o600))
	}, func() {
		_, err := unix.Read(fd, make([]byte, 4096))
		must(t, err)
		c.set()
	})
}

// closedNumber is a descriptor that one goroutine closes, before another one is given its number:
// take takes a free number, and the second result is what it has taken.
func closedNumber(t *testing.T, take func(lowest int) int) (closes, takes func()) {
	t.Helper()
	fd, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	must(t, err)
	return func() { must(t, unix.Close(fd)) }, func() {
		for {
			got := take(fd)
			closeAtEnd(t, sysFD(got))
			if got == fd {
				return
			}
		}
	}
}

// fcntlCopy makes a copy of standard error by fcntl.
func fcntlCopy(t *testing.T) func(lowest int) int {
	return func(lowest int) int {
		got, err := unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, lowest)
		must(t, err)
		return got
	}
}

// TestNoRaceSysFcntl is given the number of a descriptor that was closed.
func TestNoRaceSysFcntl(t *testing.T) {
	c := new(cache)
	closes, takes := closedNumber(t, fcntlCopy(t))
	inTurn(func() { c.get(); closes() }, func() { takes(); c.set() })
}

// TestRaceSysFcntl makes its call before it is given the number.
func TestRaceSysFcntl(t *testing.T) {
	c := new(cache)
	closes, takes := closedNumber(t, fcntlCopy(t))
	inTurn(func() { c.get(); closes() }, func() { c.set(); takes() })
}

// TestRaceSysFcntlFlags asks for flags, which may be the number that was closed.
func TestRaceSysFcntlFlags(t *testing.T) {
	c := new(cache)
	closes, _ := closedNumber(t, nil)
	inTurn(func() { c.get(); closes() }, func() {
		_, err := unix.FcntlInt(2, unix.F_GETFL, 0)
		must(t, err)
		c.set()
	})
}

// sysReceived is given a descriptor in a message.
func sysReceived(t *testing.T) func(int) int {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	must(t, err)
	closeAtEnd(t, sysFD(ends[0]))
	closeAtEnd(t, sysFD(ends[1]))
	return func(int) int {
		rights := unix.UnixRights(ends[0])
		must(t, unix.Sendmsg(ends[0], nil, rights, nil, 0))
		oob := make([]byte, len(rights))
		_, _, _, _, err := unix.Recvmsg(ends[1], nil, oob, 0)
		must(t, err)
		messages, err := unix.ParseSocketControlMessage(oob)
		must(t, err)
		list, err := unix.ParseUnixRights(&messages[0])
		must(t, err)
		return list[0]
	}
}

// TestNoRaceSysReceived is given the number of a descriptor that was closed.
func TestNoRaceSysReceived(t *testing.T) {
	c := new(cache)
	closes, takes := closedNumber(t, sysReceived(t))
	inTurn(func() { c.get(); closes() }, func() { takes(); c.set() })
}

// TestRaceSysReceived makes its call before it is given the number.
func TestRaceSysReceived(t *testing.T) {
	c := new(cache)
	closes, takes := closedNumber(t, sysReceived(t))
	inTurn(func() { c.get(); closes() }, func() { c.set(); takes() })
}
