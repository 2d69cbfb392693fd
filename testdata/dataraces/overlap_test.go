// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// small is passed and copied in registers, large in memory.
type small struct {
	a int8
	b int16
	c string
}

func (s small) first() int8 { return s.a }

type large struct {
	head  int64
	body  [20]int32
	tail  string
	other small
}

func (l large) last() string { return l.tail }

// overlaps are accesses to a whole and to a part of it.
var overlaps = pairs{
	"SmallWriteFirst": func() (a, b func()) {
		x := new(small)
		return func() { *x = small{1, 2, "a"} }, func() { keep(x.a) }
	},
	"SmallWriteLast": func() (a, b func()) {
		x := new(small)
		return func() { *x = small{1, 2, "a"} }, func() { keep(x.c) }
	},
	"SmallReadMiddle": func() (a, b func()) {
		x := new(small)
		return func() { keep(*x) }, func() { x.b = 1 }
	},
	"SmallZero": func() (a, b func()) {
		x := new(small)
		return func() { *x = small{} }, func() { x.b = 1 }
	},
	"SmallReceiver": func() (a, b func()) {
		x := new(small)
		return func() { keep(x.first()) }, func() { x.a = 1 }
	},
	"LargeWriteFirst": func() (a, b func()) {
		x := new(large)
		return func() { *x = large{head: 1} }, func() { keep(x.head) }
	},
	"LargeWriteLast": func() (a, b func()) {
		x, y := new(large), new(large)
		return func() { *x = *y }, func() { keep(x.other.c) }
	},
	"LargeReadElement": func() (a, b func()) {
		x, y := new(large), new(large)
		return func() { *y = *x }, func() { x.body[11] = 1 }
	},
	"LargeArgument": func() (a, b func()) {
		x := new(large)
		return func() { keep(*x) }, func() { x.body[19] = 1 }
	},
	"LargeReceiver": func() (a, b func()) {
		x := new(large)
		return func() { keep(x.last()) }, func() { x.tail = "a" }
	},
	"LargeResult": func() (a, b func()) {
		x := new(large)
		get := func() large { return *x }
		return func() { keep(get()) }, func() { x.other.a = 1 }
	},
	"LargeBoxed": func() (a, b func()) {
		x := new(large)
		return func() { keep(any(*x)) }, func() { x.other.b = 1 }
	},
	"LargeZero": func() (a, b func()) {
		x := new(large)
		return func() { *x = large{} }, func() { keep(x.body[3]) }
	},
	"LargeCompared": func() (a, b func()) {
		x, y := new(large), new(large)
		return func() { keep(*x == *y) }, func() { x.head = 1 }
	},
	"LargeSent": func() (a, b func()) {
		x, c := new(large), make(chan large, 1)
		return func() { c <- *x }, func() { x.body[1] = 1 }
	},
	"LargeReceived": func() (a, b func()) {
		x, c := new(large), make(chan large, 1)
		c <- large{}
		return func() { *x = <-c }, func() { x.body[1] = 1 }
	},
	"LargeIntoMap": func() (a, b func()) {
		x, m := new(large), make(map[int]large)
		return func() { m[1] = *x }, func() { x.tail = "a" }
	},
	"LargeFromMap": func() (a, b func()) {
		x, m := new(large), map[int]large{1: {}}
		return func() { *x = m[1] }, func() { x.tail = "a" }
	},
	"StructOfStruct": func() (a, b func()) {
		x := new(large)
		return func() { x.other = small{1, 2, "a"} }, func() { keep(x.other.b) }
	},
	"WholeAndStruct": func() (a, b func()) {
		x := new(large)
		return func() { keep(*x) }, func() { x.other = small{1, 2, "a"} }
	},
	"Embedded": func() (a, b func()) {
		x := new(outer)
		return func() { x.halves = halves{1, 2} }, func() { keep(x.high) }
	},
	"BlankFields": func() (a, b func()) {
		x := new(blank)
		return func() { *x = blank{a: 1} }, func() { keep(x.c) }
	},
	"ArrayFirst": func() (a, b func()) {
		x := new([5]int16)
		return func() { *x = [5]int16{1} }, func() { keep(x[0]) }
	},
	"ArrayLast": func() (a, b func()) {
		x := new([5]int16)
		return func() { keep(*x) }, func() { x[4] = 1 }
	},
	"ArrayRange": func() (a, b func()) {
		x := new([5]int16)
		return func() {
			for _, v := range *x {
				keep(v)
			}
		}, func() { x[4] = 1 }
	},
	"ArrayCompared": func() (a, b func()) {
		x := new([5]int16)
		return func() { keep(*x == [5]int16{}) }, func() { x[0] = 1 }
	},
	"Row": func() (a, b func()) {
		x := new([3][4]int32)
		return func() { x[1] = [4]int32{1, 2, 3, 4} }, func() { keep(x[1][3]) }
	},
	"RowOfSlice": func() (a, b func()) {
		x := make([][4]int8, 3)
		return func() { keep(x[2]) }, func() { x[2][1] = 1 }
	},
	"StructRangeField": func() (a, b func()) {
		x := make([]small, 3)
		return func() {
			for _, v := range x {
				keep(v.a)
			}
		}, func() { x[2].a = 1 }
	},
	"CopyFirst": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { copy(x[3:], "abcdefgh") }, func() { keep(x[3]) }
	},
	"CopyMiddle": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { copy(x[3:], "abcdefgh") }, func() { keep(x[7]) }
	},
	"CopyLast": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { copy(x[3:], "abcdefgh") }, func() { keep(x[10]) }
	},
	"CopySource": func() (a, b func()) {
		x := make([]int32, 20)
		return func() { copy(make([]int32, 7), x[4:9]) }, func() { x[8] = 1 }
	},
	"CopyCopy": func() (a, b func()) {
		x := make([]int32, 20)
		return func() { copy(x[:8], make([]int32, 8)) }, func() { copy(make([]int32, 8), x[7:]) }
	},
	"CopyStrings": func() (a, b func()) {
		x := make([]string, 20)
		return func() { copy(x[5:], []string{"a", "b"}) }, func() { keep(x[6]) }
	},
	"CopySelf": func() (a, b func()) {
		x := make([]int, 20)
		return func() { copy(x[1:], x) }, func() { keep(x[19]) }
	},
	"StringOfBytes": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { keep(string(x[3:9])) }, func() { x[8] = 1 }
	},
	"StringOfRunes": func() (a, b func()) {
		x := make([]rune, 20)
		return func() { keep(string(x[3:9])) }, func() { x[3] = 1 }
	},
	"StringCompared": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { keep(string(x) == "abcdefghijklmnopqrst") }, func() { x[8] = 1 }
	},
	"StringAsKey": func() (a, b func()) {
		x, m := make([]byte, 20), map[string]int{"": 1}
		return func() { keep(m[string(x)]) }, func() { x[8] = 1 }
	},
	"StringConcatenated": func() (a, b func()) {
		x := make([]byte, 20)
		return func() { keep("<" + string(x) + ">") }, func() { x[8] = 1 }
	},
	"StringRange": func() (a, b func()) {
		x := []byte("abc")
		return func() {
			for _, r := range string(x) {
				keep(r)
			}
		}, func() { x[1] = 'B' }
	},
	"BytesEqual": func() (a, b func()) {
		x, y := make([]byte, 20), make([]byte, 20)
		return func() { keep(bytes.Equal(x, y)) }, func() { y[8] = 1 }
	},
}

func TestRaceOverlap(t *testing.T)   { overlaps.races(t) }
func TestNoRaceOverlap(t *testing.T) { overlaps.ordered(t) }

// crowdedWords are many accesses to one word.
var crowdedWords = pairs{
	"FirstByte": func() (a, b func()) {
		x := make([]byte, 8)
		return func() { binary.LittleEndian.PutUint64(x, 1) }, func() { keep(x[0]) }
	},
	"LastByte": func() (a, b func()) {
		x := make([]byte, 8)
		return func() { binary.LittleEndian.PutUint64(x, 1) }, func() { keep(x[7]) }
	},
}

func TestRaceCrowdedWord(t *testing.T)   { crowdedWords.races(t) }
func TestNoRaceCrowdedWord(t *testing.T) { crowdedWords.ordered(t) }
