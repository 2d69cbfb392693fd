// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package acts has a check and an act.
package acts

import "sync"

// Keep stores a value unless there is one.
func Keep(m *sync.Map, key, value string) {
	if _, ok := m.Load(key); !ok {
		m.Store(key, value)
	}
}
