// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package section writes the code that tells the engine what critical sections read and write.
//
// Input: a package, and what analyzer/section has found in it. Output: edits, and one file to add.
//
// # Terms
//
//	touch       a place where the package reads or writes a variable or map that locks guard
//	lock site   a call that takes a lock
//	activation  one run of a function with a check in one section and an act in a later one
//	wrapper     a small generic function of the added file through which an operand goes
//
// # What is written
//
// A read goes through a wrapper, which hands on what it gets. It evaluates nothing that the program
// would not, and nothing twice that could make a difference:
//
//	x.f            (*commute_touchRead(&commute_touches[7], &x.f))
//	x.m[k]         x.m[commute_touchKey(&commute_touches[8], x.m, k)]
//	len(x.m)       len(commute_touchMap(&commute_touches[9], x.m))
//	x.list[i]      (*commute_touchInner(&commute_touches[3], &x.list))[i]
//	b[i]           commute_touchElements(&commute_touches[2], b)[i]
//	x.array[i]     (*commute_touchBlock(&commute_touches[6], &x.array))[i]
//	x.mu.Lock()    commute_touchLock(&commute_locks[1], &x.mu).Lock()
//	x.n.Load()     commute_touchAtomic(&commute_touches[5], &x.n).Load()
//
// After a write stands a call that looks at what was written:
//
//	x.m[k] = v; commute_touchSet(&commute_touches[4], x.m, k)
//
// A function with pairs begins with a variable for the activation, and defers its end first:
//
//	{ var commute_run0 commute_Run; commute_touchEnter(&commute_run0, &commute_paired[0]);
//	  defer ...
//
// All is inserted in the lines that are there, so that positions in reports and panics stay.
// Comments of the form /*line :L:C*/ give what follows on a line its column back.
//
// A loop that takes no lock and waits for nothing is written twice, without its touches and with
// them. It begins by asking which one is to run (twice.go). Such a comment gives the second one the
// lines of the first.
//
// # What is left out
//
// A touch is left out where its code cannot be written without a change of what the program does.
// Then no section of the package is complete: which one lacks an access is not known here. An
// atomic operation is a section of its own, so that one alone is not complete.
package section
