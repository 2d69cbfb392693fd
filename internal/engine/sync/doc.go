// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package sync orders goroutines by what they synchronize on. It is section 3.2 and table 1 of
// Dimitrov et al., "Commutativity Race Detection" (PLDI 2014), for addresses of a running program.
//
// Input: events of goroutines at addresses, as the hooks of package race in Go's runtime have them.
// There are acquires, releases, starts and ends of goroutines, and memory that is freed. Output:
// the clocks of each [Thread], from package vclock, and what is known of each address. That is its
// clock, the object of a specified type that begins there, and its sync conflict history.
//
// # Terms
//
//	thread                 a goroutine, as the floors of the engine know it
//	shadow                 what is known of the program's addresses, in pages of 8 KB
//	block                  the part of a page that has the clocks of 256 bytes
//	annex                  more singleton clocks of a block that has many; see annex.go
//	variable               the clock of an address, where a singleton clock won't do
//	common clock           the clock of several addresses of a block; see common.go
//	object                 the receiver of a specified method
//	sync conflict history  the last events at an address, which later events may conflict with
//	call clock             the clock that calls of specified methods are compared by
//	memory clock           the clock that accesses to memory are ordered by; see memoryclock.go
//	in a call              from begin to end of a call of a specified method, without callbacks
//	worker                 a goroutine that was started in a call that is under way
//	timer context          what runs timers: it has no clock component, but relays clocks
//
// # In a call
//
// What an implementation does to keep its own order orders nothing for the program. So a goroutine
// in a call doesn't learn what others have released in their calls. It learns all else, and
// goroutines outside of calls learn from it. The workers of a call are in the call, too.
//
// # Costs
//
// Acquire and release of what is known already: two loads for the page, and a comparison; no lock.
// Memory: 128 bytes for 256 bytes of memory in which there are locks and the like, in pages; with
// more than six of them 24 more for each, in pieces of 8, where goroutines release them apart.
//
// # Floor
//
// The package stands on packages stack, tests and counts. Package record embeds [Thread].
package sync
