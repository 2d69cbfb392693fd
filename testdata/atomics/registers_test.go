// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"sync/atomic"
	"testing"
)

var one, two = new(int), new(int)

func loadBool(x *atomic.Bool)      { use(x.Load()) }
func store1Bool(x *atomic.Bool)    { x.Store(true) }
func store2Bool(x *atomic.Bool)    { x.Store(false) }
func swap1Bool(x *atomic.Bool)     { x.Swap(true) }
func swap2UsedBool(x *atomic.Bool) { use(x.Swap(false)) }
func swap2Bool(x *atomic.Bool)     { x.Swap(false) }
func casBool(x *atomic.Bool)       { use(x.CompareAndSwap(false, true)) }
func casFailsBool(x *atomic.Bool)  { use(x.CompareAndSwap(true, false)) }

func TestRaceBool(t *testing.T) {
	run(t, map[string]pair[atomic.Bool]{
		"LoadStore1":      {loadBool, store1Bool},
		"Store1Store2":    {store1Bool, store2Bool},
		"Store1Swap2":     {store1Bool, swap2Bool},
		"Store1Swap2Used": {store1Bool, swap2UsedBool},
		"Swap1Swap2":      {swap1Bool, swap2Bool},
		"CasStore2":       {casBool, store2Bool},
	})
}

func TestNoRaceBool(t *testing.T) {
	run(t, map[string]pair[atomic.Bool]{
		"LoadLoad":         {loadBool, loadBool},
		"Store1Store1":     {store1Bool, store1Bool},
		"Store1Swap1":      {store1Bool, swap1Bool},
		"Swap1Swap1":       {swap1Bool, swap1Bool},
		"CasFailsLoad":     {casFailsBool, loadBool},
		"CasFailsCasFails": {casFailsBool, casFailsBool},
		"CasLoad":          {casBool, loadBool},
		"CasCas":           {casBool, casBool},
	})
}

func loadPointer(x *atomic.Pointer[int])      { use(x.Load()) }
func store1Pointer(x *atomic.Pointer[int])    { x.Store(one) }
func store2Pointer(x *atomic.Pointer[int])    { x.Store(two) }
func swap1Pointer(x *atomic.Pointer[int])     { x.Swap(one) }
func swap2UsedPointer(x *atomic.Pointer[int]) { use(x.Swap(two)) }
func swap2Pointer(x *atomic.Pointer[int])     { x.Swap(two) }
func casPointer(x *atomic.Pointer[int])       { use(x.CompareAndSwap(nil, two)) }
func casFailsPointer(x *atomic.Pointer[int])  { use(x.CompareAndSwap(one, two)) }

func TestRacePointer(t *testing.T) {
	run(t, map[string]pair[atomic.Pointer[int]]{
		"LoadStore1":      {loadPointer, store1Pointer},
		"Store1Store2":    {store1Pointer, store2Pointer},
		"Store1Swap2":     {store1Pointer, swap2Pointer},
		"Store1Swap2Used": {store1Pointer, swap2UsedPointer},
		"Swap1Swap2":      {swap1Pointer, swap2Pointer},
		"Swap2UsedLoad":   {swap2UsedPointer, loadPointer},
		"CasStore1":       {casPointer, store1Pointer},
		"CasFailsStore2":  {casFailsPointer, store2Pointer},
	})
}

func TestNoRacePointer(t *testing.T) {
	run(t, map[string]pair[atomic.Pointer[int]]{
		"LoadLoad":         {loadPointer, loadPointer},
		"Store1Store1":     {store1Pointer, store1Pointer},
		"Store1Swap1":      {store1Pointer, swap1Pointer},
		"Swap1Swap1":       {swap1Pointer, swap1Pointer},
		"CasFailsLoad":     {casFailsPointer, loadPointer},
		"CasFailsCasFails": {casFailsPointer, casFailsPointer},
		"CasLoad":          {casPointer, loadPointer},
		"CasCas":           {casPointer, casPointer},
	})
}

func loadValue(x *atomic.Value)      { use(x.Load()) }
func store1Value(x *atomic.Value)    { x.Store("a") }
func store2Value(x *atomic.Value)    { x.Store("b") }
func swap1Value(x *atomic.Value)     { x.Swap("a") }
func swap2UsedValue(x *atomic.Value) { use(x.Swap("b")) }
func swap2Value(x *atomic.Value)     { x.Swap("b") }
func casValue(x *atomic.Value)       { use(x.CompareAndSwap(nil, "c")) }
func casFailsValue(x *atomic.Value)  { use(x.CompareAndSwap("z", "c")) }

func TestRaceValue(t *testing.T) {
	run(t, map[string]pair[atomic.Value]{
		"LoadStore1":      {loadValue, store1Value},
		"Store1Store2":    {store1Value, store2Value},
		"Store1Swap2":     {store1Value, swap2Value},
		"Store1Swap2Used": {store1Value, swap2UsedValue},
		"Swap1Swap2":      {swap1Value, swap2Value},
		"Swap2UsedLoad":   {swap2UsedValue, loadValue},
		"CasStore1":       {casValue, store1Value},
		"CasFailsStore2":  {casFailsValue, store2Value},
	})
}

func TestNoRaceValue(t *testing.T) {
	run(t, map[string]pair[atomic.Value]{
		"LoadLoad":         {loadValue, loadValue},
		"Store1Store1":     {store1Value, store1Value},
		"Store1Swap1":      {store1Value, swap1Value},
		"Swap1Swap1":       {swap1Value, swap1Value},
		"CasFailsLoad":     {casFailsValue, loadValue},
		"CasFailsCasFails": {casFailsValue, casFailsValue},
		"CasLoad":          {casValue, loadValue},
		"CasCas":           {casValue, casValue},
	})
}
