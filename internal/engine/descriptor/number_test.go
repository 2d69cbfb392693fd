// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import "testing"

// Each number has an address of its own, but for very great ones, and none is out of the table. In
// a call, a release is under the odd address beside it.
func TestNumber(t *testing.T) {
	numbers := new(Numbers)
	seen := make(map[uintptr]int)
	for fd := range len(numbers) {
		addr := numbers.Address(fd)
		if other, ok := seen[addr]; ok {
			t.Fatalf("%d and %d have one address", fd, other)
		}
		seen[addr] = fd
		if numbers.Address(fd) != addr {
			t.Fatalf("%d has another address the second time", fd)
		}
		if addr%4 != 0 {
			t.Fatalf("%d: in calls, %#x has the clock of another number", fd, addr)
		}
	}
	for _, fd := range []int{-1, len(numbers), 1 << 30} {
		if _, ok := seen[numbers.Address(fd)]; !ok {
			t.Errorf("the address of %d is out of the table", fd)
		}
	}
}
