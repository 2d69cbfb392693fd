// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package recording holds benchmarks of small programs, for what it costs to record a trace of them
// beside watching them only:
//
//	go run ./internal/bench/speed -dir testdata/speed/recording -only datarace,trace
//
// in the main module. Nothing here is an error.
package recording
