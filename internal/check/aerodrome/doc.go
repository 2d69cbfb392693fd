// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package aerodrome finds violations of conflict serializability with vector clocks: Mathur and
// Viswanathan, "Atomicity Checking in Linear Time using Vector Clocks" (ASPLOS 2020).
//
// Input: a stream of events (package event). Output: the first violation, with the running marked
// transaction that shows it. After the first violation the clocks have no meaning, and the checker
// ignores events.
//
// [Basic] is Algorithm 1 as it is printed, line by line. [Optimised] declares a violation at the
// same event, in less time and memory. Line numbers in comments are those of Algorithm 1.
//
// # Terms
//
//	clock         a vector clock: a number for each thread, 0 where there is none
//	C_t           the clock of thread t; its own component counts t's transactions
//	C_t▷          C_t at the begin of t's running transaction
//	W_x, R_t,x    what C_t was at the last write of variable x, and at the last read by thread t
//	L_l           what C_t was at the last release of lock l
//	⊑, ⊔          comparison and join of clocks, component by component
//	know          a clock knows a transaction if C_t▷ ⊑ the clock, for its thread t
//	running       begun and not ended; only running transactions can be violated
//	declare       to report a violation (line 11)
//
// # What is found, and when
//
// By theorem 3, a violation is declared once there is a cycle of which all transactions but at most
// one are complete. So a cycle may be found later than by package frontier, or, if its transactions
// never end, not at all. "Only if" holds for whole traces: in one that goes on, some cycles with
// two running transactions are declared, too. They are cycles.
//
// # What is added
//
// Merging releases are kept like the reads of a variable: an acquire joins them, and a release
// replaces them. Touches of an access point are kept like reads: the touch of a conflicting point
// joins them. A join of a thread without an event joins nothing. As printed, line 22 takes what the
// fork gave the child for an event of the child. It declares a violation where a transaction forks
// and joins such a child.
//
// # Optimised
//
// [Optimised] rests on these facts:
//
//	(1) One component says it all. For any clock here, C_t▷ ⊑ clk (lines 10, 39, 42, 44, 46) holds
//	    if and only if it holds for component t. One clock gets that component from another only
//	    together with all that was known at the begin.
//	(2) A variable has two read clocks, as section 4.3 says. R is the join of all R_u (line 12).
//	    chR is the join of all R_u[0/u] (line 10). At the end of a transaction of t, chR may
//	    take over component u of C_t, though only R_u knows the transaction. That does no harm: if
//	    it matters, C_t knows u's running transaction, and the violation was declared before. As
//	    long as one thread reads, R is its clock and chR is not needed.
//	(3) A write drops the read clocks. It has joined them, so W_x knows more than they do.
//	(4) What a clock says of a transaction that has ended is never used again. Components are
//	    compared with the begins of running transactions only, and each begin of a thread is
//	    greater than all before it. So only the components of running transactions are joined. A
//	    clock that knows no running transaction may be dropped.
//	(5) For the same reason most ends change nothing. An end matters only if the transaction knows
//	    another that runs, and has joined something since its begin. Otherwise a clock that knows
//	    its begin knows all of it that matters. Whether its predecessors are of its own thread
//	    makes no difference.
//	(6) Lines 41 to 46 concern only clocks that were set by a thread that knew the transaction. So
//	    each thread has lists of the cells to look at when its transaction ends. A cell enters
//	    them when it is set: the list of the setting thread, and of the threads that this one
//	    knows.
//
// # Representation
//
// The clock of a cell is a copy of the components of C_t that matter by (4): a ref. Mostly that
// is one component, and then the ref is a number. Otherwise it refers to a snapshot, a list of
// components. All cells that are set before C_t changes share one snapshot; snapshots are reference
// counted, and used again. A thread that has joined one of t's snapshots needs none of the earlier
// ones.
package aerodrome
