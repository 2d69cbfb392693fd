// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import "unsafe"

// The kernel gives the number of a descriptor to another one only when the first is closed. So who
// gets a number comes after who has closed it. A program that makes its system calls itself has
// maps of its connections by their numbers, say. That package internal/poll closes one doesn't
// count: few programs see its numbers, and the order hides races that are there by other schedules.

// Numbers has an address for each number; very great ones share them. The addresses are multiples
// of 4, as those of clocks are.
type Numbers [1 << 12]uint32

// Address is where who closes a descriptor releases, and who is given its number acquires.
func (n *Numbers) Address(fd int) uintptr {
	return uintptr(unsafe.Pointer(&n[uint(fd)%uint(len(n))]))
}
