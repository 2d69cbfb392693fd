// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package sideclock has the clocks of a goroutine beside the one that calls are compared by. A
// [Clock] follows synchronization. A [Weak] clock does, too, but for the locks whose critical
// sections are recorded; it has the goroutine's part in package section.
//
// Input: the synchronization of goroutines at addresses, in a running program or in a trace of one.
// Output: clocks. Where the clocks of addresses are kept is the caller's: it is their [Addresses].
//
// # Terms
//
//	address        where goroutines acquire and release
//	timer context  what runs timers: it has no component in clocks, but relays what it acquired
//	exchange       to acquire what was released at an address, and release there what was known
//	               before that
//
// # The weak clock
//
// A complete section of a lock releases nothing by the lock itself. It comes after those earlier
// sections that it is in conflict with, which package section finds. Calls of specified methods are
// ordered by their object, both ways: what is ordered is not reported.
package sideclock
