// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package edges

import (
	"sync"
	"testing"
)

// mailbox is for the tests in which the map itself is the edge: a call that sees what another did comes after it.
//
//commute:concurrent a mailbox is polled
var mailbox sync.Map

// posted is a post into the mailbox that is seen by a look.
func posted(post func(key any), look func(key any) bool) edge {
	key := new(int)
	return edge{
		func() { post(key) },
		func() { until(func() bool { return look(key) }); mailbox.Delete(key) },
	}
}

func storeKey(key any)   { mailbox.Store(key, 1) }
func swapKey(key any)    { mailbox.Swap(key, 1) }
func arbiterKey(key any) { mailbox.LoadOrStore(key, 1) }

func loadKey(key any) bool {
	_, ok := mailbox.Load(key)
	return ok
}

func takeKey(key any) bool {
	_, ok := mailbox.LoadAndDelete(key)
	return ok
}

func rangeKey(key any) bool {
	found := false
	mailbox.Range(func(k, _ any) bool {
		found = k == key
		return !found
	})
	return found
}

func changeKey(key any) bool { return mailbox.CompareAndSwap(key, 1, 2) }
func removeKey(key any) bool { return mailbox.CompareAndDelete(key, 1) }

func storeLoad() edge         { return posted(storeKey, loadKey) }
func storeTake() edge         { return posted(storeKey, takeKey) }
func storeRange() edge        { return posted(storeKey, rangeKey) }
func storeChange() edge       { return posted(storeKey, changeKey) }
func storeRemove() edge       { return posted(storeKey, removeKey) }
func swapLoad() edge          { return posted(swapKey, loadKey) }
func loadOrStoreLoad() edge   { return posted(arbiterKey, loadKey) }
func loadOrStoreChange() edge { return posted(arbiterKey, changeKey) }
func loadOrStoreRemove() edge { return posted(arbiterKey, removeKey) }
func loadOrStoreTake() edge   { return posted(arbiterKey, takeKey) }

func TestNoRaceMapStoreLoad(t *testing.T)                   { ordered(storeLoad()) }
func TestRaceMapStoreLoad(t *testing.T)                     { both(t, storeLoad) }
func TestNoRaceMapStoreLoadAndDelete(t *testing.T)          { ordered(storeTake()) }
func TestRaceMapStoreLoadAndDelete(t *testing.T)            { both(t, storeTake) }
func TestNoRaceMapStoreRange(t *testing.T)                  { ordered(storeRange()) }
func TestRaceMapStoreRange(t *testing.T)                    { both(t, storeRange) }
func TestNoRaceMapStoreCompareAndSwap(t *testing.T)         { ordered(storeChange()) }
func TestRaceMapStoreCompareAndSwap(t *testing.T)           { both(t, storeChange) }
func TestNoRaceMapStoreCompareAndDelete(t *testing.T)       { ordered(storeRemove()) }
func TestRaceMapStoreCompareAndDelete(t *testing.T)         { both(t, storeRemove) }
func TestNoRaceMapSwapLoad(t *testing.T)                    { ordered(swapLoad()) }
func TestRaceMapSwapLoad(t *testing.T)                      { both(t, swapLoad) }
func TestNoRaceMapLoadOrStoreLoad(t *testing.T)             { ordered(loadOrStoreLoad()) }
func TestRaceMapLoadOrStoreLoad(t *testing.T)               { both(t, loadOrStoreLoad) }
func TestNoRaceMapLoadOrStoreCompareAndSwap(t *testing.T)   { ordered(loadOrStoreChange()) }
func TestRaceMapLoadOrStoreCompareAndSwap(t *testing.T)     { both(t, loadOrStoreChange) }
func TestNoRaceMapLoadOrStoreCompareAndDelete(t *testing.T) { ordered(loadOrStoreRemove()) }
func TestRaceMapLoadOrStoreCompareAndDelete(t *testing.T)   { both(t, loadOrStoreRemove) }
func TestNoRaceMapLoadOrStoreLoadAndDelete(t *testing.T)    { ordered(loadOrStoreTake()) }
func TestRaceMapLoadOrStoreLoadAndDelete(t *testing.T)      { both(t, loadOrStoreTake) }

// The callback of a Range comes after the Store that it sees, too.
func TestNoRaceMapRangeCallback(t *testing.T) {
	var o object
	key := new(int)
	together(
		func() { o.write(1); mailbox.Store(key, 1) },
		func() {
			until(func() bool {
				found := false
				mailbox.Range(func(k, _ any) bool {
					if k == key {
						o.read()
						found = true
					}
					return true
				})
				return found
			})
		},
	)
	mailbox.Delete(key)
}

// Whoever loses a LoadOrStore uses what the winner stored, and may.
func TestNoRaceMapLoadOrStoreLoser(t *testing.T) {
	var shared sync.Map
	use := func() {
		own := new(object)
		own.write(1)
		got, _ := shared.LoadOrStore("key", own)
		got.(*object).read()
	}
	together(use, use)
}

// The winner does not come after the loser.
func TestRaceMapLoadOrStoreWinner(t *testing.T) {
	var o object
	var shared sync.Map
	var won, lost flag
	together(
		func() { shared.LoadOrStore("key", 1); won.raise(); lost.await(); o.read() },
		func() { won.await(); o.write(1); shared.LoadOrStore("key", 2); lost.raise() },
	)
}

// Calls that commute exchange nothing: a Load of another key, or two Loads, order nothing.
func TestRaceMapOtherKey(t *testing.T) {
	var o object
	var shared sync.Map
	var first flag
	together(
		func() { o.write(1); shared.Store("one", 1); first.raise() },
		func() { first.await(); shared.Load("two"); o.read() },
	)
}

func TestRaceMapLoads(t *testing.T) {
	var o object
	var shared sync.Map
	shared.Store("key", 1)
	var first flag
	together(
		func() { o.write(1); shared.Load("key"); first.raise() },
		func() { first.await(); shared.Load("key"); o.read() },
	)
}
