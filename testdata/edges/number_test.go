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
