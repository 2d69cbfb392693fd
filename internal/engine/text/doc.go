// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package text builds texts outside of Go's heap, for an engine that must not allocate there.
//
// Input: strings, numbers, arguments as package commrace keeps them, and addresses. Output: the
// bytes in a [Buffer].
//
// # Terms
//
//	buffer     a text that grows; buffers are reused, with their room
//	room       how many bytes a buffer has, used or not
//	addresses  what was known of some addresses at the time of a finding
//	value      an argument or result of a call, written as Go would
//	compound   a struct or an array
//
// # Floor
//
// The package is the lowest floor. It stands on packages datarace, atomicity and commrace, and on
// package host; package output stands on it.
package text
