// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package b

type (
	// A List is short of two pairs.
	//
	//ecl:commute Push(x1, _), Push(x2, _): true // want `no formula for the pair Push, Pop` `no formula for the pair Pop, Pop`
	//ecl:mutator Pop()/(x, ok)
	//
	// It ends here.
	List struct{}
)

func (l *List) Push(x, y int)    {}
func (l *List) Pop() (int, bool) { return 0, false }
