// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"slices"
	"testing"
)

// flags, halves and the like have fields that share an eight-byte word.
type flags struct{ a, b, c, d, e, f, g, h bool }

type halves struct{ low, high int32 }

type padded struct {
	small int8
	big   int64
	last  int8
}

type blank struct {
	a int8
	_ int8
	b int8
	_ [5]byte
	c int64
}

type nested struct {
	left, right struct {
		pair halves
		name string
	}
	list [4]halves
}

type outer struct {
	halves
	*padded
	own int16
}

// neighbours are accesses to distinct variables that are close to each other.
var neighbours = pairs{
	"Bytes": func() (a, b func()) {
		x := new([8]byte)
		return func() { x[3] = 1 }, func() { x[4] = 1 }
	},
	"BytesAll": func() (a, b func()) {
		x := new([8]byte)
		return func() { x[0], x[2], x[4], x[6] = 1, 1, 1, 1 }, func() { x[1], x[3], x[5], x[7] = 1, 1, 1, 1 }
	},
	"Bools": func() (a, b func()) {
		x := new(flags)
		return func() { x.a, x.c, x.h = true, true, true }, func() { x.b, x.d, x.f = true, true, true; keep(x.e); keep(x.g) }
	},
	"Int16s": func() (a, b func()) {
		x := make([]int16, 4)
		return func() { x[0] = 1; x[3] = 1 }, func() { x[1] = 1; x[2] = 1 }
	},
	"Halves": func() (a, b func()) {
		x := new(halves)
		return func() { x.low = 1 }, func() { x.high = 1 }
	},
	"Words": func() (a, b func()) {
		x := new([2]int64)
		return func() { x[0] = 1 }, func() { x[1] = 1 }
	},
	"Strings": func() (a, b func()) {
		x := new([2]string)
		return func() { x[0] = "a" }, func() { x[1] = "b" }
	},
	"Interfaces": func() (a, b func()) {
		x := new([2]any)
		return func() { x[0] = "a" }, func() { x[1] = 1 }
	},
	"Slices": func() (a, b func()) {
		x := make([][]int, 2)
		return func() { x[0] = []int{1} }, func() { x[1] = []int{2} }
	},
	"Complex": func() (a, b func()) {
		x := make([]complex128, 2)
		return func() { x[0] = 1i }, func() { x[1] = 2i }
	},
	"StringAndSlice": func() (a, b func()) {
		x := new(struct {
			s string
			l []int
		})
		return func() { x.s = "a" }, func() { x.l = []int{1} }
	},
	"Padding": func() (a, b func()) {
		x := new(padded)
		return func() { x.small = 1; x.last = 1 }, func() { x.big = 1 }
	},
	"Blank": func() (a, b func()) {
		x := new(blank)
		return func() { x.a = 1 }, func() { x.b = 1; x.c = 1 }
	},
	"NestedHalves": func() (a, b func()) {
		x := new(nested)
		return func() { x.left.pair = halves{1, 2} }, func() { x.right.pair.low = 1; x.left.name = "a" }
	},
	"StructCopies": func() (a, b func()) {
		x := new(nested)
		return func() { x.left = x.right }, func() { keep(x.right); x.list[0] = halves{1, 2} }
	},
	"ArrayOfStructs": func() (a, b func()) {
		x := new([3]halves)
		return func() { x[1] = halves{1, 2} }, func() { x[0].high = 1; x[2].low = 1 }
	},
	"FieldsOfElements": func() (a, b func()) {
		x := make([]halves, 8)
		return func() {
				for i := range x {
					x[i].low = 1
				}
			}, func() {
				for i := range x {
					x[i].high = 1
				}
			}
	},
	"Embedded": func() (a, b func()) {
		x := &outer{padded: new(padded)}
		return func() { x.low = 1; x.small = 1 }, func() { x.high = 1; x.big = 1; x.own = 1 }
	},
	"PointerAndPointee": func() (a, b func()) {
		x := &outer{padded: new(padded)}
		p := x.padded
		return func() { x.padded = new(padded) }, func() { p.big = 1 }
	},
	"Rows": func() (a, b func()) {
		x := new([2][3]int8)
		return func() { x[0] = [3]int8{1, 2, 3} }, func() { x[1][0] = 1 }
	},
	"CopyHalves": func() (a, b func()) {
		x := make([]byte, 16)
		return func() { copy(x[:5], "abcde") }, func() { copy(x[5:], "fghijklmnop") }
	},
	"CopyInside": func() (a, b func()) {
		x := make([]byte, 16)
		return func() { copy(x[1:6], "abcde") }, func() { x[0] = 1; x[6] = 1 }
	},
	"CopyOverlapping": func() (a, b func()) {
		x := make([]byte, 16)
		return func() { copy(x[2:8], x[1:7]) }, func() { x[0] = 1; x[8] = 1 }
	},
	"ClearHalf": func() (a, b func()) {
		x := make([]byte, 16)
		return func() { clear(x[:3]) }, func() { x[3] = 1 }
	},
	"StringOfHalf": func() (a, b func()) {
		x := make([]byte, 16)
		return func() { keep(string(x[:5])) }, func() { x[5] = 1 }
	},
	"SortHalves": func() (a, b func()) {
		x := []int32{9, 8, 7, 6, 5, 4}
		return func() { slices.Sort(x[:3]) }, func() { slices.Sort(x[3:]) }
	},
	"AppendOnlyReads": func() (a, b func()) {
		x := []int{1, 2, 3, 4}
		return func() { keep(append(x[:2:2], 5)) }, func() { keep(append(x[:2:2], 6)); x[2] = 7 }
	},
	"AppendBehind": func() (a, b func()) {
		x := make([]int, 1, 4)
		return func() { keep(append(x, 5)) }, func() { x[0] = 1; x[:3][2] = 1 }
	},
	"LengthAndElement": func() (a, b func()) {
		x := make([]int, 4)
		return func() { keep(len(x)); keep(cap(x)); keep(x[1:2]) }, func() { x[1] = 1 }
	},
	"ArrayPointerLength": func() (a, b func()) {
		x := new([4]int)
		return func() {
			keep(len(x))
			keep(x[1:3])
			for i := range x {
				keep(i)
			}
		}, func() { *x = [4]int{1} }
	},
	"AddressOnly": func() (a, b func()) {
		x := new(nested)
		return func() { keep(&x.left.pair.high); keep(&x.list[2]); keep(x.list[1:]) }, func() { *x = nested{} }
	},
	"SliceToArrayPointer": func() (a, b func()) {
		x := make([]int, 4)
		return func() { keep((*[4]int)(x)) }, func() { x[1] = 1 }
	},
	"Captured": func() (a, b func()) {
		var x, y int8
		return func() { x = 1; keep(x) }, func() { y = 1; keep(y) }
	},
	"Globals": func() (a, b func()) {
		return func() { globalA = 1 }, func() { globalB = 1 }
	},
	"GlobalFields": func() (a, b func()) {
		return func() { globalFlags.a = true }, func() { globalFlags.b = true }
	},
	"Tiny": func() (a, b func()) {
		x, y := new(int8), new(int8) // most often in one block
		return func() { *x = 1 }, func() { *y = 1 }
	},
	"Empty": func() (a, b func()) {
		x := new(struct{})
		return func() { *x = struct{}{} }, func() { *x = struct{}{}; keep(*x) }
	},
	"EmptyArrays": func() (a, b func()) {
		x := make([]struct{}, 4)
		return func() { x[0] = struct{}{} }, func() { x[0] = struct{}{}; keep(append(x, struct{}{})) }
	},
	"EmptyField": func() (a, b func()) {
		x := new(struct {
			e struct{}
			n int
		})
		return func() { x.e = struct{}{} }, func() { x.n = 1 }
	},
	"SamePlaceOtherObject": func() (a, b func()) {
		x, y := new(nested), new(nested)
		return func() { *x = nested{} }, func() { *y = nested{} }
	},
}

var (
	globalA, globalB int8
	globalFlags      flags
)

func TestNoRaceNeighbour(t *testing.T) { neighbours.harmless(t) }

// Readers of the same memory, in every width.
func TestNoRaceOverlappingReads(t *testing.T) {
	pairs{
		"StructAndField": func() (a, b func()) {
			x := &nested{}
			return func() { keep(*x) }, func() { keep(x.left.pair.low); keep(x.list) }
		},
		"CopyAndElement": func() (a, b func()) {
			x := []byte("abcdefghijklmnop")
			return func() { copy(make([]byte, 16), x) }, func() { keep(x[7]); keep(string(x)) }
		},
		"CopyToItself": func() (a, b func()) {
			x := []byte("abcdefghijklmnop")
			return func() { keep(append([]byte(nil), x...)) }, func() { keep(append(x[:3:3], x...)) }
		},
	}.harmless(t)
}
