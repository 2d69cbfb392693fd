// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package verdicts

import (
	"math"
	"testing"
)

var negativeZero = math.Copysign(0, -1)

// Observers commute with each other.

func TestNoRaceLoadLoad(*testing.T)       { unordered(load("old"), load("old")) }
func TestNoRaceLoadRange(*testing.T)      { unordered(load("old"), visit) }
func TestNoRaceRangeRange(*testing.T)     { unordered(visit, visit) }
func TestNoRaceLoadLoadAbsent(*testing.T) { unordered(load("new"), load("new")) }

// A plain mutator that changes something, and an observer of the same key, in both orders.

func TestRaceStoreLoad(*testing.T)        { unordered(store("new", 1), load("new")) }
func TestRaceLoadStore(*testing.T)        { unordered(load("new"), store("new", 1)) }
func TestRaceStoreLoadChanged(*testing.T) { unordered(store("old", 2), load("old")) }
func TestRaceLoadStoreChanged(*testing.T) { unordered(load("old"), store("old", 2)) }
func TestRaceSwapLoad(*testing.T)         { unordered(swap("old", 2), load("old")) }
func TestRaceLoadSwap(*testing.T)         { unordered(load("old"), swap("old", 2)) }
func TestRaceDeleteLoad(*testing.T)       { unordered(remove("old"), load("old")) }
func TestRaceLoadDelete(*testing.T)       { unordered(load("old"), remove("old")) }
func TestRaceClearLoad(*testing.T)        { unordered(clear, load("old")) }
func TestRaceLoadClear(*testing.T)        { unordered(load("old"), clear) }
func TestRaceStoreRange(*testing.T)       { unordered(store("new", 1), visit) }
func TestRaceRangeStore(*testing.T)       { unordered(visit, store("new", 1)) }
func TestRaceSwapRange(*testing.T)        { unordered(swap("old", 2), visit) }
func TestRaceRangeSwap(*testing.T)        { unordered(visit, swap("old", 2)) }
func TestRaceDeleteRange(*testing.T)      { unordered(remove("old"), visit) }
func TestRaceRangeDelete(*testing.T)      { unordered(visit, remove("old")) }
func TestRaceClearRange(*testing.T)       { unordered(clear, visit) }
func TestRaceRangeClear(*testing.T)       { unordered(visit, clear) }

// Two plain mutators.

func TestRaceStoreStore(*testing.T)    { unordered(store("new", 1), store("new", 2)) }
func TestRaceStoreStoreOld(*testing.T) { unordered(store("old", 2), store("old", 3)) }
func TestRaceStoreSwap(*testing.T)     { unordered(store("new", 1), swap("new", 2)) }
func TestRaceSwapStore(*testing.T)     { unordered(swap("new", 1), store("new", 2)) }
func TestRaceSwapSwap(*testing.T)      { unordered(swap("old", 2), swap("old", 3)) }
func TestRaceStoreDelete(*testing.T)   { unordered(store("old", 2), remove("old")) }
func TestRaceDeleteStore(*testing.T)   { unordered(remove("old"), store("old", 2)) }
func TestRaceSwapDelete(*testing.T)    { unordered(swap("old", 2), remove("old")) }
func TestRaceDeleteSwap(*testing.T)    { unordered(remove("old"), swap("old", 2)) }
func TestRaceStoreClear(*testing.T)    { unordered(store("new", 1), clear) }
func TestRaceClearStore(*testing.T)    { unordered(clear, store("new", 1)) }
func TestRaceSwapClear(*testing.T)     { unordered(swap("old", 2), clear) }
func TestRaceClearSwap(*testing.T)     { unordered(clear, swap("old", 2)) }

// A plain mutator and an arbiter.

func TestRaceStoreLoadOrStore(*testing.T)      { unordered(store("new", 1), loadOrStore("new", 2)) }
func TestRaceLoadOrStoreStore(*testing.T)      { unordered(loadOrStore("new", 1), store("new", 2)) }
func TestRaceStoreLoadAndDelete(*testing.T)    { unordered(store("new", 1), loadAndDelete("new")) }
func TestRaceLoadAndDeleteStore(*testing.T)    { unordered(loadAndDelete("old"), store("old", 2)) }
func TestRaceStoreCompareAndSwap(*testing.T)   { unordered(store("old", 2), cas("old", 2, 3)) }
func TestRaceCompareAndSwapStore(*testing.T)   { unordered(cas("old", 1, 2), store("old", 3)) }
func TestRaceStoreCompareAndDelete(*testing.T) { unordered(store("old", 2), cad("old", 2)) }
func TestRaceCompareAndDeleteStore(*testing.T) { unordered(cadUsed("old", 1), store("old", 2)) }
func TestRaceSwapLoadOrStore(*testing.T)       { unordered(swap("new", 1), loadOrStore("new", 2)) }
func TestRaceLoadOrStoreSwap(*testing.T)       { unordered(loadOrStore("new", 1), swap("new", 2)) }
func TestRaceSwapLoadAndDelete(*testing.T)     { unordered(swap("old", 2), loadAndDelete("old")) }
func TestRaceLoadAndDeleteSwap(*testing.T)     { unordered(loadAndDelete("old"), swap("old", 2)) }
func TestRaceSwapCompareAndSwap(*testing.T)    { unordered(swap("old", 2), cas("old", 2, 3)) }
func TestRaceCompareAndSwapSwap(*testing.T)    { unordered(cas("old", 1, 2), swap("old", 3)) }
func TestRaceSwapCompareAndDelete(*testing.T)  { unordered(swap("old", 2), cad("old", 2)) }
func TestRaceCompareAndDeleteSwap(*testing.T)  { unordered(cad("old", 1), swap("old", 2)) }
func TestRaceDeleteLoadOrStore(*testing.T)     { unordered(remove("old"), loadOrStore("old", 2)) }
func TestRaceLoadOrStoreDelete(*testing.T)     { unordered(loadOrStore("new", 1), remove("new")) }
func TestRaceCompareAndSwapDelete(*testing.T)  { unordered(cas("old", 1, 2), remove("old")) }
func TestRaceClearLoadOrStore(*testing.T)      { unordered(clear, loadOrStore("old", 2)) }
func TestRaceLoadOrStoreClear(*testing.T)      { unordered(loadOrStore("new", 1), clear) }
func TestRaceCompareAndSwapClear(*testing.T)   { unordered(cas("old", 1, 2), clear) }

// An arbiter that fails observes; a mutator that it could have seen is a race.

func TestRaceDeleteCompareAndSwap(*testing.T)      { unordered(remove("old"), cas("old", 1, 2)) }
func TestRaceStoreCompareAndSwapFailed(*testing.T) { unordered(store("old", 2), cas("old", 1, 3)) }
func TestRaceStoreCompareAndDeleteFailed(*testing.T) {
	unordered(store("old", 2), cadUsed("old", 1))
}
func TestRaceClearCompareAndSwap(*testing.T) { unordered(clear, cas("old", 1, 2)) }

// Where nobody looks at the result of CompareAndDelete, it leaves the same in either order.

func TestNoRaceSweepStore(*testing.T)     { unordered(cad("old", 1), store("old", 2)) }
func TestNoRaceStoreSweep(*testing.T)     { unordered(store("old", 2), cad("old", 1)) }
func TestNoRaceSweepDelete(*testing.T)    { unordered(cad("old", 1), remove("old")) }
func TestNoRaceDeleteSweep(*testing.T)    { unordered(remove("old"), cad("old", 1)) }
func TestNoRaceSweepClear(*testing.T)     { unordered(cad("old", 1), clear) }
func TestNoRaceClearSweep(*testing.T)     { unordered(clear, cad("old", 1)) }
func TestRaceUsedSweepDelete(*testing.T)  { unordered(cadUsed("old", 1), remove("old")) }
func TestRaceDeleteUsedSweep(*testing.T)  { unordered(remove("old"), cadUsed("old", 1)) }
func TestRaceUsedSweepClear(*testing.T)   { unordered(cadUsed("old", 1), clear) }
func TestRaceSweepStoreOfSame(*testing.T) { unordered(cad("old", 1), store("old", 1)) }
func TestNoRaceSweepSweep(*testing.T)     { unordered(cad("old", 1), cad("old", 1)) }

// Arbiters and observers alone: arbitration.

func TestNoRaceLoadOrStoreLoadOrStore(*testing.T) {
	unordered(loadOrStore("new", 1), loadOrStore("new", 2))
}
func TestNoRaceLoadOrStoreLoad(*testing.T) { unordered(loadOrStore("new", 1), load("new")) }
func TestNoRaceLoadLoadOrStore(*testing.T) { unordered(load("new"), loadOrStore("new", 1)) }
func TestNoRaceLoadAndDeleteLoadAndDelete(*testing.T) {
	unordered(loadAndDelete("old"), loadAndDelete("old"))
}
func TestNoRaceLoadOrStoreLoadAndDelete(*testing.T) {
	unordered(loadOrStore("new", 1), loadAndDelete("new"))
}
func TestNoRaceCompareAndSwapCompareAndSwap(*testing.T) {
	unordered(cas("old", 1, 2), cas("old", 2, 3))
}
func TestNoRaceCompareAndSwapLost(*testing.T)               { unordered(cas("old", 1, 2), cas("old", 1, 3)) }
func TestNoRaceCompareAndDeleteCompareAndDelete(*testing.T) { unordered(cad("old", 1), cad("old", 1)) }
func TestNoRaceCompareAndSwapLoad(*testing.T)               { unordered(cas("old", 1, 2), load("old")) }
func TestNoRaceLoadCompareAndSwap(*testing.T)               { unordered(load("old"), cas("old", 1, 2)) }
func TestNoRaceLoadAndDeleteLoad(*testing.T)                { unordered(loadAndDelete("old"), load("old")) }
func TestNoRaceLoadOrStoreRange(*testing.T)                 { unordered(loadOrStore("new", 1), visit) }
func TestNoRaceRangeLoadAndDelete(*testing.T)               { unordered(visit, loadAndDelete("old")) }

// Different keys.

func TestNoRaceStoreStoreOtherKey(*testing.T)  { unordered(store("new", 1), store("other", 2)) }
func TestNoRaceStoreLoadOtherKey(*testing.T)   { unordered(store("new", 1), load("other")) }
func TestNoRaceDeleteStoreOtherKey(*testing.T) { unordered(remove("old"), store("new", 1)) }
func TestNoRaceSwapDeleteOtherKey(*testing.T)  { unordered(swap("new", 1), remove("old")) }
func TestNoRaceLoadOrStoreStoreOtherKey(*testing.T) {
	unordered(loadOrStore("new", 1), store("other", 1))
}
func TestNoRaceCompareAndSwapStoreOtherKey(*testing.T) { unordered(cas("old", 1, 2), store("new", 1)) }
func TestNoRaceStoreStoreKeyTypes(*testing.T)          { unordered(store(1, 1), store(int8(1), 2)) }

// Keys are equal as Go's == has it.

func TestRaceStoreLoadStructKey(*testing.T) {
	unordered(store(struct{ a, b int }{1, 2}, 1), load(struct{ a, b int }{1, 2}))
}
func TestRaceStoreLoadFloatKey(*testing.T) { unordered(store(0.0, 1), load(negativeZero)) }

// A call that changes nothing observes.

func TestNoRaceStoreSameLoad(*testing.T)            { unordered(store("old", 1), load("old")) }
func TestNoRaceLoadStoreSame(*testing.T)            { unordered(load("old"), store("old", 1)) }
func TestNoRaceSwapSameLoad(*testing.T)             { unordered(swap("old", 1), load("old")) }
func TestNoRaceStoreSameStoreSame(*testing.T)       { unordered(store("old", 1), store("old", 1)) }
func TestNoRaceStoreSameRange(*testing.T)           { unordered(store("old", 1), visit) }
func TestNoRaceDeleteAbsentLoad(*testing.T)         { unordered(remove("new"), load("new")) }
func TestNoRaceDeleteAbsentDeleteAbsent(*testing.T) { unordered(remove("new"), remove("new")) }
func TestNoRaceDeleteAbsentRange(*testing.T)        { unordered(remove("new"), visit) }
func TestNoRaceCompareAndSwapFailedLoad(*testing.T) { unordered(cas("old", 7, 8), load("old")) }
func TestNoRaceCompareAndSwapFailedCompareAndSwapFailed(*testing.T) {
	unordered(cas("old", 7, 8), cas("old", 7, 8))
}
func TestNoRaceCompareAndDeleteFailedLoad(*testing.T) { unordered(cad("old", 7), load("old")) }
func TestNoRaceLoadOrStoreLoadedLoad(*testing.T)      { unordered(loadOrStore("old", 7), load("old")) }
func TestNoRaceLoadOrStoreLoadedStoreSame(*testing.T) {
	unordered(loadOrStore("old", 7), store("old", 1))
}
func TestNoRaceLoadAndDeleteAbsentLoad(*testing.T) { unordered(loadAndDelete("new"), load("new")) }

// But it observes: what changes the key races with it.

func TestRaceStoreSameStore(*testing.T)            { unordered(store("old", 1), store("old", 2)) }
func TestRaceDeleteAbsentStore(*testing.T)         { unordered(remove("new"), store("new", 1)) }
func TestRaceLoadOrStoreLoadedStore(*testing.T)    { unordered(loadOrStore("old", 7), store("old", 2)) }
func TestRaceCompareAndSwapFailedStore(*testing.T) { unordered(cas("old", 7, 8), store("old", 7)) }
func TestRaceLoadAndDeleteAbsentStore(*testing.T)  { unordered(loadAndDelete("new"), store("new", 1)) }

// Two writes of equal values: the second finds its value there.

func TestNoRaceStoreStoreEqual(*testing.T)        { unordered(store("new", 1), store("new", 1)) }
func TestNoRaceStoreStoreEqualChanged(*testing.T) { unordered(store("old", 2), store("old", 2)) }
