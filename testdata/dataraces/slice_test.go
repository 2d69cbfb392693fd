// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"testing"
)

// slicePairs are accesses to elements of a slice, or to the variable that holds it.
var slicePairs = pairs{
	"Element": func() (a, b func()) {
		x := make([]int, 3)
		return func() { x[1] = 1 }, func() { keep(x[1]) }
	},
	"ElementOfOtherSlice": func() (a, b func()) {
		x := make([]int, 3)
		y := x[1:]
		return func() { x[1] = 1 }, func() { keep(y[0]) }
	},
	"RangeValue": func() (a, b func()) {
		x := make([]int, 3)
		return func() {
			for _, v := range x {
				keep(v)
			}
		}, func() { x[2] = 1 }
	},
	"RangeAssign": func() (a, b func()) {
		x := make([]int, 3)
		return func() {
			for i := range x {
				x[i] = 0
			}
		}, func() { x[2] = 1 }
	},
	"RangeVariable": func() (a, b func()) {
		x := make([]int, 3)
		return func() {
			for i := range x {
				keep(i)
			}
		}, func() { x = nil }
	},
	"AppendInPlace": func() (a, b func()) {
		x := make([]int, 1, 4)
		return func() { keep(append(x, 1)) }, func() { keep(append(x, 2)) }
	},
	"AppendInPlaceSlice": func() (a, b func()) {
		x := make([]int, 1, 8)
		return func() { keep(append(x, 1, 2, 3)) }, func() { keep(append(x, []int{4, 5}...)) }
	},
	"AppendInPlaceString": func() (a, b func()) {
		x := make([]byte, 1, 8)
		return func() { keep(append(x, "abc"...)) }, func() { keep(x[:3][2]) }
	},
	"AppendGrows": func() (a, b func()) {
		x := []int{1, 2}
		return func() { keep(append(x, 3)) }, func() { x[1] = 1 }
	},
	"AppendSource": func() (a, b func()) {
		x := []int{1, 2}
		return func() { keep(append([]int(nil), x...)) }, func() { x[1] = 1 }
	},
	"AppendMake": func() (a, b func()) {
		x := make([]int, 1, 8)
		return func() { keep(append(x, make([]int, 4)...)) }, func() { keep(x[:5][4]) }
	},
	"AppendVariable": func() (a, b func()) {
		var x []int
		return func() { x = append(x, 1) }, func() { x = append(x, 2) }
	},
	"AppendVariableInPlace": func() (a, b func()) {
		x := make([]int, 0, 4)
		return func() { x = append(x, 1) }, func() { keep(len(x)) }
	},
	"AppendField": func() (a, b func()) {
		x := new(cargo)
		return func() { x.list = append(x.list, 1) }, func() { keep(x.list) }
	},
	"AppendElement": func() (a, b func()) {
		x := make([][]int, 2)
		return func() { x[1] = append(x[1], 1) }, func() { keep(x[1]) }
	},
	"CopyInto": func() (a, b func()) {
		x := make([]int, 3)
		return func() { copy(x, []int{1, 2}) }, func() { keep(x[1]) }
	},
	"CopyFrom": func() (a, b func()) {
		x := make([]int, 3)
		return func() { copy(make([]int, 2), x) }, func() { x[1] = 1 }
	},
	"CopyString": func() (a, b func()) {
		x := make([]byte, 3)
		return func() { copy(x, "abc") }, func() { keep(x[2]) }
	},
	"CopyPointers": func() (a, b func()) {
		x := make([]*int, 3)
		return func() { copy(x, []*int{nil, new(int)}) }, func() { keep(x[1]) }
	},
	"ClearByRange": func() (a, b func()) {
		x := make([]byte, 30)
		return func() {
			for i := range x {
				x[i] = 0
			}
		}, func() { keep(x[20]) }
	},
	"Length": func() (a, b func()) {
		var x []int
		return func() { x = make([]int, 2) }, func() { keep(len(x)) }
	},
	"Capacity": func() (a, b func()) {
		var x []int
		return func() { x = make([]int, 2) }, func() { keep(cap(x)) }
	},
	"Reslice": func() (a, b func()) {
		x := make([]int, 2)
		return func() { x = x[1:] }, func() { keep(x[:1]) }
	},
	"NilCheck": func() (a, b func()) {
		var x []int
		return func() { x = []int{} }, func() { keep(x == nil) }
	},
	"ToArray": func() (a, b func()) {
		x := make([]int, 4)
		return func() { keep([4]int(x)) }, func() { x[3] = 1 }
	},
	"ArrayOfSlices": func() (a, b func()) {
		var x [3][]string
		return func() { x[1] = []string{"a"} }, func() { keep(len(x[1])) }
	},
	"SliceOfSlices": func() (a, b func()) {
		x := [][]int{{1}, {2}}
		return func() { x[1][0] = 1 }, func() { keep(x[1][0]) }
	},
	"SlicesSort": func() (a, b func()) {
		x := []int{3, 2, 1}
		return func() { slices.Sort(x) }, func() { keep(x[0]) }
	},
	"SlicesSortFunc": func() (a, b func()) {
		x := []string{"c", "b", "a"}
		return func() { slices.SortFunc(x, cmp.Compare) }, func() { keep(x[2]) }
	},
	"SortSlice": func() (a, b func()) {
		x := []int{3, 2, 1}
		return func() { sort.Slice(x, func(i, j int) bool { return x[i] < x[j] }) }, func() { keep(x[0]) }
	},
	"SortSliceStrings": func() (a, b func()) {
		x := []small{{c: "c"}, {c: "b"}, {c: "a"}}
		return func() { sort.Slice(x, func(i, j int) bool { return x[i].c < x[j].c }) }, func() { x[2].a = 1 }
	},
	"SortSort": func() (a, b func()) {
		x := []string{"a", "b", "c"}
		return func() { sort.Sort(sort.Reverse(sort.StringSlice(x))) }, func() { keep(x[0]) }
	},
	"SortTwice": func() (a, b func()) {
		x := []int{3, 2, 1, 5, 7, 0}
		return func() { slices.Sort(x) }, func() { slices.Sort(x) }
	},
	"Search": func() (a, b func()) {
		x := []int{1, 2, 3}
		return func() { keep(slices.Contains(x, 3)) }, func() { x[1] = 5 }
	},
	"Insert": func() (a, b func()) {
		x := make([]int, 3, 9)
		return func() { keep(slices.Insert(x, 1, 7, 8)) }, func() { keep(x[2]) }
	},
	"Delete": func() (a, b func()) {
		x := []int{1, 2, 3}
		return func() { keep(slices.Delete(x, 0, 1)) }, func() { keep(x[1]) }
	},
	"Reverse": func() (a, b func()) {
		x := []int{1, 2, 3}
		return func() { slices.Reverse(x) }, func() { keep(x[0]) }
	},
	"Clone": func() (a, b func()) {
		x := []int{1, 2, 3}
		return func() { keep(slices.Clone(x)) }, func() { x[0] = 1 }
	},
	"StringToBytes": func() (a, b func()) {
		x := "abc"
		return func() { keep([]byte(x)) }, func() { x = "def" }
	},
	"BytesToString": func() (a, b func()) {
		x := []byte("abc")
		return func() { keep(string(x)) }, func() { x = []byte("def") }
	},
	"StringIndex": func() (a, b func()) {
		x := "abc"
		return func() { keep(x[1]) }, func() { x = "def" }
	},
	"StringAppend": func() (a, b func()) {
		x := "abc"
		return func() { x += "d" }, func() { x += "e" }
	},
	"StringJoin": func() (a, b func()) {
		x := []string{"a", "b"}
		return func() { keep(strings.Join(x, ",")) }, func() { x[1] = "c" }
	},
	"StringsBuilder": func() (a, b func()) {
		x := new(strings.Builder)
		return func() { x.WriteString("a") }, func() { keep(x.String()) }
	},
}

func TestRaceSlice(t *testing.T)   { slicePairs.races(t) }
func TestNoRaceSlice(t *testing.T) { slicePairs.ordered(t) }

// Sorted in a place of its own, a shared slice is only read.
func TestNoRaceSliceSorted(t *testing.T) {
	x := []int{3, 1, 2}
	sorted := func() { keep(slices.Sorted(slices.Values(x))) }
	apart(sorted, sorted)
}

// Each goroutine has its own part of the result.
func TestNoRaceSliceParallel(t *testing.T) {
	x := make([]int, 1000)
	part := func(i int) func() {
		return func() {
			for j := i; j < len(x); j += 4 {
				x[j] = j
			}
		}
	}
	together(part(0), part(1), part(2), part(3))
	keep(slices.Max(x))
}
