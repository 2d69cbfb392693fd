// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package lockorder finds potential deadlocks in a recorded trace, by other orders of its events.
// In a deadlock, each of some threads holds a lock and waits for one that the next thread holds.
//
// Input: the events of a stream whose locks are mutexes (package event). Output: the cycles, each
// of distinct threads, with both acquires of each.
//
// The algorithm is Goodlock (Havelund, "Using Runtime Analysis to Guide Model Checking of Java
// Programs", SPIN 2000), with gates, and with the order that forks and joins force. As in
// SPDOffline (Tunç et al., "Sound Dynamic Deadlock Prediction in Linear Time", PLDI 2023), the
// acquires of a thread are combined if the same locks are held: cycles are searched among such
// patterns, whose number depends on the program and not on the length of the trace.
//
// # Terms
//
//	pattern      the acquires of one lock by one thread that holds the same set of others
//	waits        a pattern waits for another one that holds its lock
//	gate         a lock that two patterns of a cycle hold, so that one excludes the other
//	stretch      what a thread does between two forks or joins that it takes part in
//	concurrent   of two stretches: neither comes before the other by fork and join
//
// # Cycles
//
// The patterns of a cycle are of distinct threads, hold no lock in common, and have acquires that
// are concurrent, each with each. Cycles are searched within strongly connected components, up to
// maxLength patterns.
//
// # Costs
//
// An acquire is O(1) for each lock held. Memory goes with patterns, and with the stretches in which
// each is used. The search has a budget.
package lockorder
