// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package dataraces

import (
	"errors"
	"testing"
	"unsafe"
)

// A scalar is a type of variable, to be accessed in every way.
type scalar interface {
	pair(kind string) (a, b func())
}

type variable[T any] struct{ v T }

// pair is a write and a read of a variable, or two writes, or two reads.
func (s variable[T]) pair(kind string) (a, b func()) {
	x := new(T)
	read, write := func() { keep(*x) }, func() { *x = s.v }
	switch kind {
	case "WriteRead":
		return write, read
	case "WriteWrite":
		return write, func() { *x = s.v }
	default:
		return read, func() { keep(*x) }
	}
}

type threeWords struct {
	a int8
	b int32
	c *int
}

var scalars = map[string]scalar{
	"Bool":       variable[bool]{true},
	"Int8":       variable[int8]{1},
	"Uint8":      variable[uint8]{1},
	"Int16":      variable[int16]{1},
	"Uint16":     variable[uint16]{1},
	"Int32":      variable[int32]{1},
	"Uint32":     variable[uint32]{1},
	"Int64":      variable[int64]{1},
	"Uint64":     variable[uint64]{1},
	"Int":        variable[int]{1},
	"Uintptr":    variable[uintptr]{1},
	"Float32":    variable[float32]{1},
	"Float64":    variable[float64]{1},
	"Complex64":  variable[complex64]{1},
	"Complex128": variable[complex128]{1},
	"String":     variable[string]{"one"},
	"Slice":      variable[[]int]{[]int{1}},
	"Any":        variable[any]{1},
	"Error":      variable[error]{errors.ErrUnsupported},
	"Pointer":    variable[*int]{new(int)},
	"Unsafe":     variable[unsafe.Pointer]{},
	"Func":       variable[func()]{func() {}},
	"Map":        variable[map[int]int]{map[int]int{}},
	"Chan":       variable[chan int]{make(chan int)},
	"Struct":     variable[threeWords]{threeWords{1, 2, nil}},
	"Array":      variable[[3]int16]{[3]int16{1, 2, 3}},
	"LongArray":  variable[[100]int]{},
	"Anonymous":  variable[struct{ s string }]{struct{ s string }{"one"}},
}

func scalarPairs(kind string) pairs {
	p := make(pairs)
	for name, s := range scalars {
		p[name] = func() (a, b func()) { return s.pair(kind) }
	}
	return p
}

func TestRaceScalarWriteRead(t *testing.T)    { scalarPairs("WriteRead").races(t) }
func TestNoRaceScalarWriteRead(t *testing.T)  { scalarPairs("WriteRead").ordered(t) }
func TestRaceScalarWriteWrite(t *testing.T)   { scalarPairs("WriteWrite").races(t) }
func TestNoRaceScalarWriteWrite(t *testing.T) { scalarPairs("WriteWrite").ordered(t) }
func TestNoRaceScalarReadRead(t *testing.T)   { scalarPairs("ReadRead").harmless(t) }

// A third goroutine's access must not hide the first's.
func TestRaceScalarThird(t *testing.T) {
	t.Run("ReadWriteSync", func(*testing.T) {
		x, c := new(int), make(chan int, 1)
		apart(
			func() { keep(*x) },
			func() { keep(*x); c <- 1 },
			func() { <-c; *x = 1 },
		)
	})
	t.Run("WriteReadSync", func(*testing.T) {
		x, c := new(int), make(chan int, 1)
		apart(
			func() { *x = 1 },
			func() { c <- 1 },
			func() { <-c; keep(*x) },
		)
	})
	t.Run("ManyReaders", func(*testing.T) {
		x, c := new(int), make(chan int, 3)
		reader := func() { keep(*x); c <- 1 }
		apart(
			reader, reader, reader,
			func() { keep(*x) },
			func() { <-c; <-c; <-c; *x = 1 },
		)
	})
	t.Run("OwnAccessBetween", func(*testing.T) {
		x := new(int)
		apart(
			func() { *x = 1; keep(*x); keep(*x) },
			func() { keep(*x) },
		)
	})
}

func TestNoRaceScalarThird(t *testing.T) {
	t.Run("ManyReaders", func(*testing.T) {
		x, c := new(int), make(chan int, 4)
		reader := func() { keep(*x); c <- 1 }
		apart(
			reader, reader, reader, reader,
			func() { <-c; <-c; <-c; <-c; *x = 1 },
		)
	})
	t.Run("Chain", func(*testing.T) {
		x := new(int)
		step := func() { *x++ }
		inTurn(step, step, step, step, step, step, step, step)
	})
	t.Run("OwnWriteBetween", func(*testing.T) {
		x, c := new(int), make(chan int, 1)
		apart(
			func() { *x = 1; keep(*x); *x = 2; c <- 1 },
			func() { <-c; keep(*x); *x = 3; keep(*x) },
		)
	})
}
