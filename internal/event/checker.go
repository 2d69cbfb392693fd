// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !commute_bundle

package event

// A Checker looks for transactions that are not conflict serializable.
type Checker interface {
	// Event takes the next event of a well-formed stream. It reports whether a transaction was
	// found to violate conflict serializability that had not been found before: [Checker.Violation]
	// is that one.
	Event(e *Event) bool

	// Violation is the transaction that was found by the last call of Event that returned true.
	Violation() Transaction
}

// A Transaction is a marked transaction or a unary one.
type Transaction struct {
	Thread uint32
	Number uint32 // the number of marked transactions that the thread has begun, with this one
	Marked bool   // false for a unary one
	First  uint64 // the index in the stream of its first event, by which it is identified
	Pos    uint32 // Event.Pos of its first event
}
