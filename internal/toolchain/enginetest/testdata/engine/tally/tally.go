// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package tally counts.
package tally

import "sync/atomic"

// A Counter counts events of one kind.
type Counter struct{ n atomic.Uint64 }

// Add counts one event.
func (c *Counter) Add() { c.n.Add(1) }

// Value returns the count.
func (c *Counter) Value() uint64 { return c.n.Load() }
