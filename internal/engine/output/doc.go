// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package output writes texts to files without making a goroutine wait.
//
// Input: texts in buffers, each with the file that it goes to. Output: the bytes, in order. A
// thread of the runtime's that has no P writes them, so that neither goroutines nor the garbage
// collector wait for a pipe. On ports without threads, and in tests, the sender writes.
//
// # Terms
//
//	text     a buffer that is to be written, or was
//	queue    the texts that are not written yet, in order
//	report   a text that tells of one finding; the rest are the summary and warnings
//	lost     of a text: it was not written, as too much waits or its file can't be written to
//	written  of a text: its writer is done with it, and gives it back
//
// # Floor
//
// The package stands on package text. Packages option and finding stand on it.
package output
