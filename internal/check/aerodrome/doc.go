// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package aerodrome finds violations of conflict serializability with vector clocks: Mathur and
// Viswanathan, "Atomicity Checking in Linear Time using Vector Clocks" (ASPLOS 2020).
//
// Input: a stream of events (package event). Output: the first violation, with the running marked
// transaction that it is shown by. After it the algorithm has no meaning, and events are ignored.
//
// [Basic] is Algorithm 1 as it is printed, line by line. [Optimised] declares a violation at the
// same event, in less time and memory.
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
// Merging releases are kept like the reads of a variable, which an acquire meets and a release
// replaces; touches of an access point like reads which the touch of a conflicting point meets. A
// join of a thread without an event learns nothing; as printed, line 22 takes what the fork gave
// the child for an event of its own, and declares a violation where a transaction forks and joins
// such a child.
//
// # Optimised
//
//   - For any clocks here, begin ⊑ clk (lines 10, 39, 42, 44, 46) holds if and only if it holds for the component of the
//     transaction's thread: one clock gets that component from another only with all that was known at the begin.
//   - The read clocks of a variable are two, as section 4.3 says: R, the join of the threads' R_u, for line 12, and chR, the
//     join of the R_u[0/u], for line 10. At the end of a transaction of t, chR may take over component u of C_t, though only R_u knows the
//     transaction: if it matters, u's running transaction is known to C_t, and the violation was declared before. As long as one
//     thread reads, R is its clock and chR is not needed.
//   - A write drops the read clocks: it has joined them, so whoever meets the write meets more than them.
//   - A variable's clock is a copy of C_t, of the components that matter. Mostly that is one, and then the copy is a
//     number. Others are lists, which all share that are set before C_t changes; they are counted, and used again when no
//     cell has them. Who has joined one of t's lists needs none of the earlier ones.
//   - What a clock says of a transaction that has ended is never looked at again: components are compared with the begins of
//     running transactions only, and each begin is greater than all before it. So of a clock only the components of running
//     transactions are joined, and one that knows no running transaction is forgotten. With a clock goes the set of those
//     that it may know (Optimised.live).
//   - For the same reason an end changes nothing, unless the transaction knows another that runs, and has learned something
//     since its begin: otherwise who knows its begin knows all of it that matters. Where its predecessors came from, its own
//     thread or another, is not asked.
//   - Lines 41 to 46 look only at clocks that were set by a thread that knew the transaction: each thread knows which
//     running transactions it knows, and notes what it sets, for its own and for those.
package aerodrome
