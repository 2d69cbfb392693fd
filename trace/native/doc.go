// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package native reads and writes commute's binary traces (packages spec and raw) as events.
//
// Input and output: a file's bytes, and events (package trace). A [Reader] brings the steps into the order of their numbers, gives
// addresses numbers, and makes events of the steps: an atomic load is an acquire, a store a release, and
// a read-modify-write an acquire and a merging release. Calls, ends of goroutines and tests are for those who read the
// records; here they are passed over. A [Writer] writes events in their order.
package native
