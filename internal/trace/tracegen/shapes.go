// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package tracegen

import (
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/generate"
)

// A Shape is a kind of long trace, all of it conflict serializable.
type Shape struct {
	Name string
	Make func(events int) []event.Event
}

// Shapes are those with which the speed of checkers is measured: see package generate.
var Shapes = []Shape{
	{"locked", Locked},
	{"independent", generated("independent")},
	{"variables", generated("variables")},
	{"threads", generated("threads")},
}

// Locked has 9 threads, 16 locks, each with its share of 1000 variables, and transactions of 20
// events under one lock.
func Locked(n int) []event.Event { return generated("locked")(n) }

// generated makes traces of a shape of package generate.
func generated(name string) func(n int) []event.Event {
	return func(n int) []event.Event {
		list, err := generate.All(generate.Params{Shape: name, Events: uint64(n), Seed: 1})
		if err != nil {
			panic(err) // the shapes are there, and the sizes are theirs
		}
		return list
	}
}
