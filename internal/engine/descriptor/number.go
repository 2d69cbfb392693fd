// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import "unsafe"

// The kernel gives the number of a descriptor to another one only when the first is closed. So who
// gets a number comes after who has closed it. A program that makes its system calls itself has
// maps of its connections by their numbers, say. That package internal/poll closes one doesn't
// count: few programs see its numbers, and the order hides races that are there by other schedules.

// A numbers has an address for each number; very great ones share them. The addresses are
// multiples of 4, as those of clocks are.
type numbers [1 << 12]uint32

// Number is the address at which what comes before a descriptor is closed is released, to be
// acquired by who gets its number.
func (t *Table) Number(fd int) uintptr {
	return uintptr(unsafe.Pointer(&t.numbers[uint(fd)%uint(len(t.numbers))]))
}
