// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace_test

import (
	"testing"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
)

// TestTooMuch has tables that are more than one can hold, or refer to what isn't there. They are
// refused, and nothing is written that is not the table's.
func TestTooMuch(t *testing.T) {
	good := func() *compiled.Table {
		return &compiled.Table{
			Methods: []compiled.Method{{Keys: []uint8{0}, Touch: [][]compiled.Touch{{{Point: 0}}}}},
			Points:  []compiled.Point{{Keyed: true}},
		}
	}
	if _, ok := commrace.Build(good()); !ok {
		t.Error("a small table is refused")
	}
	for name, spoil := range map[string]func(c *compiled.Table){
		"methods": func(c *compiled.Table) { c.Methods = make([]compiled.Method, 65) },
		"points":  func(c *compiled.Table) { c.Points = make([]compiled.Point, 65) },
		"keys":    func(c *compiled.Table) { c.Methods[0].Keys = make([]uint8, 5) },
		"key":     func(c *compiled.Table) { c.Methods[0].Keys[0] = 6 },
		"betas": func(c *compiled.Table) {
			c.Methods[0].Touch = make([][]compiled.Touch, 1<<12+1)
		},
		"touches":   func(c *compiled.Table) { c.Methods[0].Touch[0] = distinct(13) },
		"point":     func(c *compiled.Table) { c.Methods[0].Touch[0][0].Point = 64 },
		"touch key": func(c *compiled.Table) { c.Methods[0].Touch[0][0].Key = 4 },
		"formula":   func(c *compiled.Table) { c.Formulas = []compiled.Formula{{Second: 1}} },
		"order":     func(c *compiled.Table) { c.Formulas = []compiled.Formula{{First: 1}} },
		"method":    func(c *compiled.Table) { c.Also = []compiled.Alternative{{Second: 1}} },
		"also":      func(c *compiled.Table) { c.Also = make([]compiled.Alternative, 5) },
		"conditions": func(c *compiled.Table) {
			c.Also = []compiled.Alternative{{Conditions: make([]compiled.Condition, 7)}}
		},
		"op":    func(c *compiled.Table) { c.Also = only(compiled.Condition{Op: '?'}) },
		"value": func(c *compiled.Table) { c.Also = only(compiled.Condition{Op: '+', I: 6}) },
		"other": func(c *compiled.Table) { c.Also = only(compiled.Condition{Op: '=', J: 6}) },
		"call":  func(c *compiled.Table) { c.Also = only(compiled.Condition{Op: '~', Of: 2}) },
	} {
		c := good()
		spoil(c)
		if _, ok := commrace.Build(c); ok {
			t.Errorf("%s: the table is accepted", name)
		}
	}
}

// distinct are touches of as many points.
func distinct(n int) (list []compiled.Touch) {
	for i := range n {
		list = append(list, compiled.Touch{Point: uint8(i)})
	}
	return list
}

func only(c compiled.Condition) []compiled.Alternative {
	return []compiled.Alternative{{Conditions: []compiled.Condition{c}}}
}
