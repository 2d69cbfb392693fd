// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package speed

import (
	"bytes"
	"strings"
	"testing"
)

// The benchmarks of BenchmarkMem read and write memory of one goroutine; those of memory_shared_test.go, of several. An
// operation is a thousand accesses or a pass over all of an array, so that b.Loop's own accesses count for nothing. What
// they write is reached from global variables, where the compiler can keep it neither in registers nor on the stack.
// Functions that read are not inlined, lest b.Loop keep their variables, and so the sums, in memory.

const (
	accesses = 1000    // in an operation
	sweep    = 1 << 16 // elements of an array that is passed over
)

// A record has fields of several sizes.
type record struct {
	next   *record
	id     int64
	weight float64
	count  int32
	kind   uint8
	used   bool
	name   string
}

var (
	memCounter int
	memHeap    *int
	memRecord  *record
	memInts    []int
	memInt32s  []uint32
	memBytes   []byte
	memOther   []byte
	memRows    [][]int
	memNames   map[string]int
	memTable   map[int]int
	memText    string
	memShape   shape
	memFunc    func(int)
	memNode    *node
)

func BenchmarkMemCounter(b *testing.B) {
	for b.Loop() {
		for range accesses {
			memCounter++
		}
	}
}

func BenchmarkMemCounterHeap(b *testing.B) {
	memHeap = new(int)
	for b.Loop() {
		p := memHeap
		for range accesses {
			*p++
		}
	}
}

//go:noinline
func readCounter() (sum int) {
	for range accesses {
		sum += memCounter
	}
	return sum
}

func BenchmarkMemCounterRead(b *testing.B) {
	for b.Loop() {
		readCounter()
	}
}

type number interface{ byte | uint32 | int }

//go:noinline
func write[T number](array []T) {
	for i := range array {
		array[i] = T(i)
	}
}

//go:noinline
func read[T number](array []T) (sum T) {
	for _, v := range array {
		sum += v
	}
	return sum
}

func sweepWrite[T number](b *testing.B, s *[]T) {
	*s = make([]T, sweep)
	for b.Loop() {
		write(*s)
	}
}

func sweepRead[T number](b *testing.B, s *[]T) {
	*s = make([]T, sweep)
	for b.Loop() {
		read(*s)
	}
}

func BenchmarkMemSweepWriteInt(b *testing.B)    { sweepWrite(b, &memInts) }
func BenchmarkMemSweepReadInt(b *testing.B)     { sweepRead(b, &memInts) }
func BenchmarkMemSweepWriteUint32(b *testing.B) { sweepWrite(b, &memInt32s) }
func BenchmarkMemSweepReadUint32(b *testing.B)  { sweepRead(b, &memInt32s) }
func BenchmarkMemSweepWriteByte(b *testing.B)   { sweepWrite(b, &memBytes) }
func BenchmarkMemSweepReadByte(b *testing.B)    { sweepRead(b, &memBytes) }

// BenchmarkMemRandom writes elements of 32 MB in no order: most miss the caches, and so may what a detector keeps.
func BenchmarkMemRandom(b *testing.B) {
	memInts = make([]int, 1<<22)
	write(memInts)
	i := uint32(1)
	for b.Loop() {
		for range accesses {
			i = i*1664525 + 1013904223
			memInts[i>>10]++
		}
	}
	memInts = nil
}

func BenchmarkMemFieldsWrite(b *testing.B) {
	memRecord = new(record)
	for b.Loop() {
		r := memRecord
		for i := range accesses / 5 {
			r.id = int64(i)
			r.weight = 0.5
			r.count = int32(i)
			r.kind = uint8(i)
			r.used = true
		}
	}
}

//go:noinline
func readFields(r *record) (sum int) {
	for range accesses / 5 {
		sum += int(r.id) + int(r.weight) + int(r.count) + int(r.kind)
		if r.used {
			sum++
		}
	}
	return sum
}

func BenchmarkMemFieldsRead(b *testing.B) {
	memRecord = &record{id: 1, weight: 2, count: 3, kind: 4, used: true}
	for b.Loop() {
		readFields(memRecord)
	}
}

// BenchmarkMemStructCopy assigns whole structs.
func BenchmarkMemStructCopy(b *testing.B) {
	from, to := make([]record, accesses), make([]record, accesses)
	memRecord = &to[0]
	for b.Loop() {
		for i := range from {
			to[i] = from[len(from)-1-i]
		}
	}
}

// BenchmarkMemNew makes a list of a thousand new objects.
func BenchmarkMemNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		memRecord = nil
		for i := range accesses {
			memRecord = &record{next: memRecord, id: int64(i), weight: 1, count: int32(i), used: true, name: "new"}
		}
	}
}

// BenchmarkMemList walks a list and changes each of its objects.
func BenchmarkMemList(b *testing.B) {
	memRecord = nil
	for range accesses {
		memRecord = &record{next: memRecord}
	}
	for b.Loop() {
		for r := memRecord; r != nil; r = r.next {
			r.count++
		}
	}
}

//go:noinline
func readTable(table map[int]int) (sum int) {
	for i := range accesses {
		sum += table[i]
	}
	return sum
}

func BenchmarkMemMapGetInt(b *testing.B) {
	memTable = make(map[int]int)
	for i := range accesses {
		memTable[i] = i
	}
	for b.Loop() {
		readTable(memTable)
	}
}

func BenchmarkMemMapPutInt(b *testing.B) {
	memTable = make(map[int]int)
	for b.Loop() {
		for i := range accesses {
			memTable[i] = i
		}
	}
}

func BenchmarkMemMapGetString(b *testing.B) {
	memNames = make(map[string]int)
	for i, k := range stringKeys {
		memNames[k.(string)] = i
	}
	names := keyNames()
	for b.Loop() {
		for _, k := range names {
			memCounter += memNames[k]
		}
	}
}

func BenchmarkMemMapPutString(b *testing.B) {
	memNames = make(map[string]int)
	names := keyNames()
	for b.Loop() {
		for i, k := range names {
			memNames[k] = i
		}
	}
}

// keyNames are a thousand of the keys, as strings.
func keyNames() []string {
	names := make([]string, accesses)
	for i := range names {
		names[i] = stringKeys[i].(string)
	}
	return names
}

// BenchmarkMemAppend appends a thousand elements to an empty slice.
func BenchmarkMemAppend(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		memInts = nil
		for i := range accesses {
			memInts = append(memInts, i)
		}
	}
}

func BenchmarkMemCopy4K(b *testing.B) {
	memBytes, memOther = make([]byte, 4096), make([]byte, 4096)
	for b.Loop() {
		copy(memBytes, memOther)
	}
}

func BenchmarkMemString4K(b *testing.B) {
	b.ReportAllocs()
	memBytes = bytes.Repeat([]byte{'x'}, 4096)
	for b.Loop() {
		memText = string(memBytes)
		memOther = []byte(memText)
	}
}

// BenchmarkMemBuild builds a string of 4 KB from pieces of 16 bytes.
func BenchmarkMemBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		var s strings.Builder
		for range 256 {
			s.WriteString("sixteen letters ")
		}
		memText = s.String()
	}
}

// BenchmarkMemRows walks 256 slices of 256 elements.
func BenchmarkMemRows(b *testing.B) {
	memRows = make([][]int, 256)
	for i := range memRows {
		memRows[i] = make([]int, 256)
	}
	for b.Loop() {
		for i := range memRows {
			for j := range memRows[i] {
				memRows[i][j] += i
			}
		}
	}
}
