// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build unix

package edges

import (
	"os"
	"syscall"
	"testing"
)

// reopened opens descriptors until one has a number.
func reopened(t *testing.T, number int) {
	var others []int
	for {
		fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
		if err != nil {
			t.Error(err)
			break
		}
		others = append(others, fd)
		if fd == number {
			break
		}
	}
	t.Cleanup(func() {
		for _, fd := range others {
			_ = syscall.Close(fd)
		}
	})
}

// descriptorNumber is a descriptor that is closed, before another one gets its number.
func descriptorNumber(t *testing.T) edge {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var closed flag
	return edge{
		func() {
			if err := syscall.Close(fd); err != nil {
				t.Error(err)
			}
			closed.raise()
		},
		func() { closed.await(); reopened(t, fd) },
	}
}

func TestNoRaceDescriptorNumber(t *testing.T) { ordered(descriptorNumber(t)) }
func TestRaceDescriptorNumber(t *testing.T)   { bothWith(t, descriptorNumber) }

// TestRaceFileNumber closes a file of package os. That its number is used again is by chance.
func TestRaceFileNumber(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(f.Fd())
	var o object
	var closed flag
	together(
		func() { o.write(1); _ = f.Close(); closed.raise() },
		func() { closed.await(); reopened(t, fd); o.read() },
	)
}

// numberFor is a descriptor that is closed, before a call gets its number.
func numberFor(t *testing.T, get func(number int)) edge {
	fd, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	var closed flag
	return edge{
		func() {
			if err := syscall.Close(fd); err != nil {
				t.Error(err)
			}
			closed.raise()
		},
		func() { closed.await(); get(fd) },
	}
}

// descriptorCopied has the number given to a copy.
func descriptorCopied(t *testing.T) edge {
	from, err := syscall.Open(os.DevNull, syscall.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(from) })
	return numberFor(t, func(number int) {
		if err := copied(from, number); err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = syscall.Close(number) })
	})
}

func TestNoRaceDescriptorCopied(t *testing.T) { ordered(descriptorCopied(t)) }
func TestRaceDescriptorCopied(t *testing.T)   { bothWith(t, descriptorCopied) }

// TestRaceNumberNotCopied fails to make a copy of what is no descriptor. So it gets no number.
func TestRaceNumberNotCopied(t *testing.T) {
	e := numberFor(t, func(number int) {
		if copied(-1, number) == nil {
			t.Error("a copy was made of nothing")
		}
	})
	ordered(e)
}

// TestRaceOtherNumberCopied makes a copy with another number than the one that was closed.
func TestRaceOtherNumberCopied(t *testing.T) {
	var to [2]int
	if err := syscall.Pipe(to[:]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(to[0]); _ = syscall.Close(to[1]) })
	e := numberFor(t, func(int) {
		if err := copied(to[0], to[1]); err != nil {
			t.Error(err)
		}
	})
	ordered(e)
}

// descriptorReceived has the number given to a descriptor in a message.
func descriptorReceived(t *testing.T) edge {
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(ends[0]); _ = syscall.Close(ends[1]) })
	return numberFor(t, func(number int) {
		for {
			got := received(t, ends)
			if got < 0 {
				return
			}
			t.Cleanup(func() { _ = syscall.Close(got) })
			if got == number {
				return
			}
		}
	})
}

// received is a descriptor that a goroutine sends to itself, -1 if there is none.
func received(t *testing.T, ends [2]int) int {
	rights := syscall.UnixRights(ends[0])
	if err := syscall.Sendmsg(ends[0], nil, rights, nil, 0); err != nil {
		t.Error(err)
		return -1
	}
	oob := make([]byte, len(rights))
	if _, _, _, _, err := syscall.Recvmsg(ends[1], nil, oob, 0); err != nil {
		t.Error(err)
		return -1
	}
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil || len(messages) != 1 {
		t.Error(len(messages), err)
		return -1
	}
	list, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(list) != 1 {
		t.Error(len(list), err)
		return -1
	}
	return list[0]
}

func TestNoRaceDescriptorReceived(t *testing.T) { ordered(descriptorReceived(t)) }
func TestRaceDescriptorReceived(t *testing.T)   { bothWith(t, descriptorReceived) }
