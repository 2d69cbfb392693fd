// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package lru has comments that are wrong.
package lru

// A Cache holds values by key.
//
//ecl:observer Gett(k)/v
//ecl:commute Put(k1), Put(k2): k1 >
type Cache struct{ m map[string]int }

// Get returns a value.
func (c *Cache) Get(k string) int { return c.m[k] }

// atomc
func (c *Cache) Put(k string) { c.m[k]++ }

//commute:notatomic
func (c *Cache) Len() int {
	//nolint:commute
	return len(c.m)
}
