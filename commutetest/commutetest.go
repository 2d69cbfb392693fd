// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package commutetest lets tests direct commute. [Expect] says that a function must provoke a
// finding, [Ignore] that findings in a function don't count, and [Atomic] that a function is
// checked as a transaction.
//
// The functions have an effect in programs that commute builds ("commute test"). In a plain build,
// and under "go test -race", they only call the function that they are given. The package imports
// nothing, so a program that uses it does not link commute.
//
// A call covers all that its function does, and the functions that this one calls. It also covers
// the goroutines that the function starts, directly or through others, the timers that it sets, and
// the subtests that it runs. The calls may be nested, and several goroutines may make them at once.
// A panic or runtime.Goexit passes through and ends the call.
//
// A recorded trace has the transactions of Atomic, but not the calls of Expect and Ignore: "commute
// analyze" reports the findings that they suppress.
package commutetest

// A TB is a test or benchmark: *testing.T, *testing.B and *testing.F are.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// A Kind is a kind of finding, as reports name it.
type Kind string

// Kinds of findings.
const (
	// CommutativityRace is two calls on one object that do not commute, and that nothing orders. A
	// CheckThenActRace is one, too.
	CommutativityRace Kind = "commutativity race"

	// CheckThenActRace is a race that breaks a check and an act that depends on it.
	CheckThenActRace Kind = "check-then-act race"

	// DataRace is two accesses to memory that nothing orders. Commute finds them with -datarace.
	DataRace Kind = "data race"

	// AtomicityViolation is a transaction that another goroutine interferes with, or can interfere
	// with.
	AtomicityViolation Kind = "atomicity violation"
)

// Enabled reports whether commute watches the program.
func Enabled() bool { return enabled }

// Expect calls f, which must provoke a finding of a kind. Such findings are not reported, and do
// not fail the test; other findings are reported as usual. If f returns without such a finding, the
// test fails: so f has to wait for its goroutines. If f does not return, for example because of
// t.FailNow, Expect does not fail the test.
//
// A finding counts if both of its sides are in the call. It also counts if one side is, and the
// other belongs to the same test, to a test that has started this one, or to no test.
//
// If commute does not look for findings of the kind, Expect only calls f, as in a plain build. That
// is so for an atomicity violation and a data race where accesses to memory are not watched, and
// for a commutativity race at COMMUTE=level=violations.
func Expect(t TB, kind Kind, f func()) {
	t.Helper()
	number := uint32(0)
	switch kind {
	case CommutativityRace:
		number = 1
	case CheckThenActRace:
		number = 2
	case DataRace:
		number = 3
	case AtomicityViolation:
		number = 4
	default:
		t.Errorf("commutetest: there is no kind of finding that is called %q", string(kind))
	}
	scope := uint32(0)
	if number != 0 {
		scope = expect(number)
	}
	if scope == 0 {
		f()
		return
	}
	returned := false
	defer func() {
		t.Helper()
		if found := leaveScope(scope); returned && !found {
			t.Errorf("commutetest: commute found no %s here", string(kind))
		}
	}()
	f()
	returned = true
}

// Atomic calls f as a transaction, as if f were a function that is marked with //atomic: its effect
// is meant to be the same as if it ran alone. Inside of another transaction, the call is a part of
// that one.
//
// Transactions are checked where accesses to memory are watched. "commute test" watches them if a
// package on the command line calls Atomic; in a function of another package, it sees only
// synchronization and the calls of types with a specification.
func Atomic(f func()) {
	var t transaction
	atomicBegin(&t, f)
	defer atomicEnd(&t)
	f()
}

// Ignore calls f, and suppresses findings in it: races with a side in the call, even if the other
// side comes later, and violations of transactions in the call. Synchronization in f still orders
// events of other goroutines. A comment //commute:ignore suppresses races of the calls on one line.
func Ignore(f func()) {
	scope := ignore()
	if scope == 0 {
		f()
		return
	}
	defer leaveScope(scope)
	f()
}
