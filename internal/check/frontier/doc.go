// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package frontier finds violations of conflict serializability without a graph of transactions. It
// finds the first at the very event that would close the first cycle in that graph.
//
// Input: a stream of events (package event). Output: running marked transactions, each once. A
// transaction A is reported at its first event that has a direct predecessor in another thread's
// transaction that A reaches. So the first violation is found when the graph gets its first cycle.
// The edges that close cycles are added like others, so that what follows is judged by the whole
// graph.
//
// The notions are those of Mathur and Viswanathan, "Atomicity Checking in Linear Time using Vector
// Clocks" (ASPLOS 2020), section 2. Package atomicity does the same for programs that run.
//
// # Terms
//
//	transaction   a marked one, from its begin to its end, or a unary one: a single event
//	running       begun and not ended
//	predecessor   an event to which a later one gets an edge (package event lists the direct ones)
//	reach         a transaction reaches those to which edges and program order lead from it
//	number        the transactions of a thread are numbered in order; some share one, by (4)
//	slot          the number of a running marked transaction among those that run
//	row           D[A]: for each thread the smallest number that A reaches, the frontier of A
//	column        D[..][u]: for each slot the smallest number of u that its transaction reaches
//	low           a lower bound of the numbers in a column
//
// # The matrix
//
// For each running marked transaction A and each thread u, D[A][u] is the smallest number of a
// transaction of u that A reaches. By program order it reaches all of u from there on. At an event
// of A, thread t, whose direct predecessor is in transaction j of u:
//
//	if D[A][u] <= j: violation
//	for every other running marked B with D[B][u] <= j: D[B] = min(D[B], D[A]) entrywise
//
// That is enough, since an edge always points into the transaction that is running when the edge is
// added:
//
//	(1) A finished transaction gets no new incoming edge. So a cycle is closed by an edge into a
//	    running one, and it suffices to know what each running one reaches.
//	(2) A running B comes to reach more only by an edge from something that it reaches: the loop.
//
// Rows exist for marked transactions only. A unary one is over before it can reach anything, so it
// closes no cycle. An edge into it adds it to the rows that reach its source.
//
// # What makes an event cheap
//
// Of each thread u, low[u] is at most the least D[B][u] over all running marked B, and infinite
// where there is none.
//
//	(3) An edge from transaction j of u matters only if j >= low[u]. Otherwise no running
//	    transaction reaches j, and by (1) and (2) none ever will: j is on no cycle to come, and
//	    the edge is on no path of one.
//
// So most edges from finished transactions cost one comparison, and a cell may drop a reference to
// such a transaction. A variable has only as many readers as some running transaction reaches.
// While no marked transaction is running, nothing matters but the next begin.
//
//	(4) A unary event may add nothing to any row: because of (3), or because the rows that reach
//	    the sources of its edges reach an earlier transaction of its thread already. Such an event
//	    shares the number of its thread's previous transaction, marked or not. A row that reaches
//	    one of the two reaches the other. One direction is program order; the other holds because
//	    the event is reached in no other way. If the previous one is marked, it is finished, so by
//	    (1) this stays.
//	(5) An edge from number j or less of u into t follows by program order from an edge from j of
//	    u into t that was added before. It changes no row. The greatest such j of each pair of
//	    threads is kept; it may be dropped, for adding an edge twice does no harm.
//
// low and (5) stay right when cycles are closed: (1) and (2) don't need the graph to be acyclic.
// One thing does: repetitions within a transaction are dropped, though after a cycle was closed the
// transaction may reach more, and they may show it. So running transactions go on under a second
// number then, which D doesn't have.
//
// # Costs
//
// k threads, m marked transactions that run at once. An event: O(1) for each direct predecessor,
// O(m) for an edge that matters and is new, O(mk) if it adds to the rows. An end: O(1) for each
// thread that the transaction reaches. Memory: 24 bytes for a variable, a lock, or a point of an
// object. A thread takes the entries of its column, and 8 bytes for each of up to 1024 threads from
// which it has edges that matter. That is 600 bytes a thread where 100,000 are in a transaction.
// The numbers have 32 bits: Event panics if a thread has 2^32 transactions that need one.
package frontier
