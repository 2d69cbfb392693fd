// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hollow has a type on whose zero value every method panics.
package hollow

// A Hollow has to be made with a map, which nothing here makes.
//
//ecl:commute Get(k1)/v1, Get(k2)/v2: true
type Hollow struct{ m *map[string]int }

// Get returns a value.
func (h *Hollow) Get(k string) int { return (*h.m)[k] }
