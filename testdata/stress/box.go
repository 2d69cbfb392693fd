// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
)

// A box is memory of all kinds, all of whose content follows from one number.
type box struct {
	number uint64
	n8     int8
	n16    uint16
	n32    int32
	n64    int64
	f32    float32
	f64    float64
	c128   complex128
	even   bool
	name   string
	any    any
	both   struct{ low, high uint32 }
	array  [7]int16
	list   []byte
	table  map[uint8]uint64
	next   *box

	touched int64 // follows from nothing: see worker.slip
	updates int64 // counted by those who change the box
}

func newBox(r *rand.Rand) *box {
	b := new(box)
	b.fill(r.Uint64())
	return b
}

// fill writes all of the box.
func (b *box) fill(n uint64) {
	b.number = n
	b.n8, b.n16, b.n32, b.n64 = int8(n), uint16(n), int32(n), int64(n)
	b.f32, b.f64, b.c128 = float32(uint8(n)), float64(uint32(n)), complex(float64(uint8(n)), 1)
	b.even = n%2 == 0
	b.name = strconv.FormatUint(n, 36)
	if b.any = n; b.even {
		b.any = b.name
	}
	b.both.low, b.both.high = uint32(n), uint32(n>>32)
	for i := range b.array {
		b.array[i] = int16(n) + int16(i)
	}
	b.list = append(b.list[:0], b.name...)
	if b.table == nil {
		b.table = make(map[uint8]uint64)
	}
	clear(b.table)
	b.table[uint8(n)] = n
	b.table[uint8(n)+1] = n + 1
	if b.next == nil {
		b.next = &box{}
	}
	b.next.number = n
	b.touched++
}

// check reads all of the box, and panics if it isn't as it was filled.
func (b *box) check() {
	n := b.number
	text := strconv.FormatUint(n, 36)
	content := any(n)
	if n%2 == 0 {
		content = text
	}
	whole := *b // reads all again, at once
	switch {
	case b.n8 != int8(n) || b.n16 != uint16(n) || b.n32 != int32(n) || b.n64 != int64(n):
		b.fail("an integer")
	case b.f32 != float32(uint8(n)) || b.f64 != float64(uint32(n)) || b.c128 != complex(float64(uint8(n)), 1):
		b.fail("a float")
	case b.even != (n%2 == 0):
		b.fail("even")
	case b.name != text || string(b.list) != text:
		b.fail("name or list")
	case b.any != content:
		b.fail("any")
	case uint64(b.both.high)<<32|uint64(b.both.low) != n:
		b.fail("both")
	case len(b.table) != 2 || b.table[uint8(n)] != n || b.table[uint8(n)+1] != n+1:
		b.fail("table")
	case b.next.number != n:
		b.fail("next")
	case whole.number != n || whole.name != text || whole.array != b.array:
		b.fail("the whole")
	}
	for i, v := range b.array {
		if v != int16(n)+int16(i) {
			b.fail("array")
		}
	}
}

func (b *box) fail(what string) {
	panic(fmt.Sprintf("stress: %s doesn't belong to number %d: %+v", what, b.number, *b))
}

// change checks the box and fills it anew.
func (b *box) change(r *rand.Rand) {
	b.check()
	b.fill(r.Uint64())
	b.updates++
}

// use changes the box, or only checks it.
func (b *box) use(r *rand.Rand) {
	if r.IntN(2) == 0 {
		b.change(r)
	} else {
		b.check()
	}
}

// touch is an access that does no harm, whoever makes it: nothing follows from what it writes, and a torn value of what
// it reads would not be used.
func (b *box) touch(r *rand.Rand) {
	switch r.IntN(8) {
	case 0:
		keep(b.n8)
	case 1:
		keep(b.n16)
	case 2:
		keep(b.both.high)
	case 3:
		keep(b.f64)
	case 4:
		keep(b.array)
	case 5:
		keep(b.even)
	default:
		b.touched++
	}
}

//go:noinline
func keep[T any](T) {}
