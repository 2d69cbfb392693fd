// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package box is a small map to be instrumented in a test.
package box

import str "strings"

type Map struct{ m map[any]any }

// Load gets.
func (m *Map) Load(key any) (any, bool) { v, ok := m.m[key]; return v, ok }

func (m *Map) Store(key, value any) { m.Swap(key, value) }

func (m *Map) Swap(key, value any) (any, bool) {
	if m.m == nil {
		m.m = map[any]any{}
	}
	p, ok := m.m[key]
	m.m[key] = value
	return p, ok
}

// Add appends to the string under key and returns its new length.
func (m *Map) Add(key any, _ ...*str.Builder) int {
	panic("not reached: the shadow expression stands in")
}

func (m *Map) add(key any, by []*str.Builder) (int, int) {
	s, _ := m.m[key].(string)
	old := len(s)
	for _, b := range by {
		s += b.String()
	}
	m.Swap(key, s)
	return len(s), old
}

func (m *Map) Range(f func(key, value any) bool) {
	for k, v := range m.m {
		if !f(k, v) {
			break
		}
	}
}
