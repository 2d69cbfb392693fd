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
