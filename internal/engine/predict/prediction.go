// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

import "github.com/commutego/commute/internal/engine/vclock"

// An Access is one access of a prediction.
type Access struct {
	Epoch  vclock.Epoch
	Goid   uint64
	Site   uint32
	PC     uintptr // of the site
	Writes bool
	Code   uintptr // the atomicity.AtomicCode of its transaction, 0 for none
	Owner  uintptr // what the prediction is charged to
}

// A Prediction is an interleaving that could have happened: First, Entry, Other and Second. First
// and Second are accesses of one transaction; Entry and Other are accesses of another goroutine. If
// First and Second are to the same bytes, Entry and Other are one access. Otherwise they may be in
// either order, and Other comes before Entry only within one transaction.
type Prediction struct {
	First, Entry  Access
	FirstAddr     uintptr // where these are
	Other, Second Access
	Addr          uintptr // where these are

	// ValuesDiffer says that Other's transaction reads other values in the witness than in the run.
	// The transaction is value-independent, so it makes the same accesses.
	ValuesDiffer bool
	// OtherReads says that Other is a read. In the witness it may read another value; its goroutine
	// then releases its locks.
	OtherReads bool
}
