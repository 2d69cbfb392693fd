// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package papers has programs of two papers' experiments, written anew in Go. What is atomic in the
// originals is marked.
//
// The papers are Wang and Stoller, "Accurate and Efficient Runtime Detection of Atomicity Errors in
// Concurrent Programs" (PPoPP 2006), section 8, and Sinha, Malik, Wang and Gupta, "Predictive
// Analysis for Detecting Serializability Violations through Trace Segmentation" (MEMOCODE 2011),
// section IV. Programs and methods have the names of the models in package
// internal/bench/tracebench/programs, which says of each method whether it is broken.
//
// A test whose name begins with TestRace forces the order that breaks a method; in its twin, whose
// name begins with TestNoRace, the mistake is mended. TestRecord runs a program as it goes:
//
//	go test -run TestRecord -program=elevator -seed=1 -work=10
package papers
