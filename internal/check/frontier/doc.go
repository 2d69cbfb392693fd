// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package frontier finds violations of conflict serializability at the very event that closes the
// first cycle, in the graph of all transactions, without keeping that graph.
//
// Input: a stream of events (package event). Output: each running marked transaction that reaches a
// transaction of another thread in which one of its events has a direct predecessor (see package
// event), once, at that event. The first is found when the graph gets its first cycle; the edges
// that close cycles are drawn like others, so that what follows is judged by the whole graph.
//
// # The matrix
//
// The transactions of a thread are numbered as they come. For each running marked transaction A and
// each thread u, D[A][u] is the smallest number of a transaction of u that A reaches: by program
// order it reaches all of u from there on. At an event of A, thread t, whose direct predecessor is
// in transaction j of u:
//
//	if D[A][u] <= j: violation
//	for every other running marked B with D[B][u] <= j: D[B] = min(D[B], D[A]) entrywise
//
// That is enough, since an edge always points into the transaction that is running when it is
// drawn:
//
//	(1) A finished transaction gets no new incoming edge. So a cycle is closed by an edge into a running one, and what
//	    must be known of each running one is what it reaches.
//	(2) A running B comes to reach something new only by an edge from something that it reaches: the loop.
//
// Rows exist for marked transactions only. A unary one is over before it can reach anything, so it
// closes no cycle; an edge into it adds it to the rows that reach its source.
//
// # What makes an event cheap
//
// Of each thread u, low[u] is at most the least D[B][u] over all running marked B, and infinite
// where there is none.
//
//	(3) An edge from transaction j of u matters only if j >= low[u]. Otherwise nothing that runs reaches j,
//	    and by (1) and (2) nothing ever will: j is in no cycle to come, and the edge in no path of one.
//
// So most edges from finished transactions cost one comparison, and whatever remembers such a
// transaction may forget it: a variable has as many readers as some running transaction reaches.
// While no marked transaction is running, nothing matters but the next begin.
//
//	(4) A unary event whose edges add nothing to any row, because of (3) or because the rows that reach
//	    their sources reach an earlier transaction of its thread already, shares the number of that thread's
//	    previous transaction, marked or not. A row that reaches the one reaches the other, by program
//	    order in one direction, and in the other because the event is reached by no other way. If that
//	    previous one is marked, it is finished, so by (1) this stays.
//	(5) An edge from number j or less of u into t, where one from j was drawn into t before, follows from that
//	    one by program order, and changes no row. The greatest such j of each pair of threads is remembered; the
//	    memory may forget, for to draw an edge twice does no harm.
//
// low and (5) stay right when cycles are closed: (1) and (2) don't need the graph to be acyclic.
// Only what is filtered as a repetition within a transaction must be looked at again after a cycle
// was closed, since the transaction may reach more by then. So running transactions go on under a
// second number, which D doesn't mention.
//
// # Costs
//
// k threads, m marked transactions that run at once. An event: O(1) for each direct predecessor,
// O(m) for an edge that matters and is new, O(mk) if it adds to the rows. An end: O(1) for each
// thread that the transaction reaches. Memory: 24 bytes for a variable, a lock, or a point of an
// object; for a thread what its rows have in them, and 8 bytes for each of up to 1024 threads from
// which it took edges that matter: 600 bytes a thread where 100,000 are in a transaction. The
// numbers have 32 bits: Event panics if a thread has 2^32 transactions that need one.
package frontier
