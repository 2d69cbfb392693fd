// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package names has a map that is set by several goroutines.
package names

import "sync"

// Names are names by number.
type Names struct{ m sync.Map }

// Set gives a number a name.
func (n *Names) Set(number, name string) {
	n.m.Store(number, name)
}
