// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package atomics

import (
	"sync/atomic"
	"testing"
)

func loadInt32(x *atomic.Int32)      { use(x.Load()) }
func store1Int32(x *atomic.Int32)    { x.Store(1) }
func store2Int32(x *atomic.Int32)    { x.Store(2) }
func swap1Int32(x *atomic.Int32)     { x.Swap(1) }
func swap2UsedInt32(x *atomic.Int32) { use(x.Swap(2)) }
func swap2Int32(x *atomic.Int32)     { x.Swap(2) }
func casInt32(x *atomic.Int32)       { use(x.CompareAndSwap(0, 2)) }
func casFailsInt32(x *atomic.Int32)  { use(x.CompareAndSwap(1, 2)) }
func addInt32(x *atomic.Int32)       { x.Add(1) }
func addUsedInt32(x *atomic.Int32)   { use(x.Add(1)) }
func add0Int32(x *atomic.Int32)      { use(x.Add(0)) }
func clearInt32(x *atomic.Int32)     { x.And(4) }
func clearUsedInt32(x *atomic.Int32) { use(x.And(4)) }
func setInt32(x *atomic.Int32)       { x.Or(1) }
func setUsedInt32(x *atomic.Int32)   { use(x.Or(1)) }
func set0Int32(x *atomic.Int32)      { use(x.Or(0)) }

func TestRaceInt32(t *testing.T) {
	run(t, map[string]pair[atomic.Int32]{
		"LoadStore1":      {loadInt32, store1Int32},
		"Store1Store2":    {store1Int32, store2Int32},
		"Store1Swap2":     {store1Int32, swap2Int32},
		"Store1Swap2Used": {store1Int32, swap2UsedInt32},
		"Swap1Swap2":      {swap1Int32, swap2Int32},
		"Swap2UsedLoad":   {swap2UsedInt32, loadInt32},
		"CasStore1":       {casInt32, store1Int32},
		"CasFailsStore2":  {casFailsInt32, store2Int32},
		"AddLoad":         {addInt32, loadInt32},
		"AddUsedAddUsed":  {addUsedInt32, addUsedInt32},
		"AddAddUsed":      {addInt32, addUsedInt32},
		"AddStore1":       {addInt32, store1Int32},
		"AddSet":          {addInt32, setInt32},
		"SetSetUsed":      {setInt32, setUsedInt32},
		"SetUsedSetUsed":  {setUsedInt32, setUsedInt32},
		"CasAdd":          {casInt32, addInt32},
	})
}

func TestNoRaceInt32(t *testing.T) {
	run(t, map[string]pair[atomic.Int32]{
		"LoadLoad":           {loadInt32, loadInt32},
		"Store1Store1":       {store1Int32, store1Int32},
		"Store1Swap1":        {store1Int32, swap1Int32},
		"Swap1Swap1":         {swap1Int32, swap1Int32},
		"CasFailsLoad":       {casFailsInt32, loadInt32},
		"CasFailsCasFails":   {casFailsInt32, casFailsInt32},
		"CasLoad":            {casInt32, loadInt32},
		"CasCas":             {casInt32, casInt32},
		"AddAdd":             {addInt32, addInt32},
		"Add0Add0":           {add0Int32, add0Int32},
		"Add0Load":           {add0Int32, loadInt32},
		"ClearClear":         {clearInt32, clearInt32},
		"ClearUsedClearUsed": {clearUsedInt32, clearUsedInt32},
		"SetSet":             {setInt32, setInt32},
		"Set0Load":           {set0Int32, loadInt32},
		"Set0Add0":           {set0Int32, add0Int32},
	})
}

func loadInt64(x *atomic.Int64)      { use(x.Load()) }
func store1Int64(x *atomic.Int64)    { x.Store(1) }
func store2Int64(x *atomic.Int64)    { x.Store(2) }
func swap1Int64(x *atomic.Int64)     { x.Swap(1) }
func swap2UsedInt64(x *atomic.Int64) { use(x.Swap(2)) }
func swap2Int64(x *atomic.Int64)     { x.Swap(2) }
func casInt64(x *atomic.Int64)       { use(x.CompareAndSwap(0, 2)) }
func casFailsInt64(x *atomic.Int64)  { use(x.CompareAndSwap(1, 2)) }
func addInt64(x *atomic.Int64)       { x.Add(1) }
func addUsedInt64(x *atomic.Int64)   { use(x.Add(1)) }
func add0Int64(x *atomic.Int64)      { use(x.Add(0)) }
func clearInt64(x *atomic.Int64)     { x.And(4) }
func clearUsedInt64(x *atomic.Int64) { use(x.And(4)) }
func setInt64(x *atomic.Int64)       { x.Or(1) }
func setUsedInt64(x *atomic.Int64)   { use(x.Or(1)) }
func set0Int64(x *atomic.Int64)      { use(x.Or(0)) }

func TestRaceInt64(t *testing.T) {
	run(t, map[string]pair[atomic.Int64]{
		"LoadStore1":      {loadInt64, store1Int64},
		"Store1Store2":    {store1Int64, store2Int64},
		"Store1Swap2":     {store1Int64, swap2Int64},
		"Store1Swap2Used": {store1Int64, swap2UsedInt64},
		"Swap1Swap2":      {swap1Int64, swap2Int64},
		"Swap2UsedLoad":   {swap2UsedInt64, loadInt64},
		"CasStore1":       {casInt64, store1Int64},
		"CasFailsStore2":  {casFailsInt64, store2Int64},
		"AddLoad":         {addInt64, loadInt64},
		"AddUsedAddUsed":  {addUsedInt64, addUsedInt64},
		"AddAddUsed":      {addInt64, addUsedInt64},
		"AddStore1":       {addInt64, store1Int64},
		"AddSet":          {addInt64, setInt64},
		"SetSetUsed":      {setInt64, setUsedInt64},
		"SetUsedSetUsed":  {setUsedInt64, setUsedInt64},
		"CasAdd":          {casInt64, addInt64},
	})
}

func TestNoRaceInt64(t *testing.T) {
	run(t, map[string]pair[atomic.Int64]{
		"LoadLoad":           {loadInt64, loadInt64},
		"Store1Store1":       {store1Int64, store1Int64},
		"Store1Swap1":        {store1Int64, swap1Int64},
		"Swap1Swap1":         {swap1Int64, swap1Int64},
		"CasFailsLoad":       {casFailsInt64, loadInt64},
		"CasFailsCasFails":   {casFailsInt64, casFailsInt64},
		"CasLoad":            {casInt64, loadInt64},
		"CasCas":             {casInt64, casInt64},
		"AddAdd":             {addInt64, addInt64},
		"Add0Add0":           {add0Int64, add0Int64},
		"Add0Load":           {add0Int64, loadInt64},
		"ClearClear":         {clearInt64, clearInt64},
		"ClearUsedClearUsed": {clearUsedInt64, clearUsedInt64},
		"SetSet":             {setInt64, setInt64},
		"Set0Load":           {set0Int64, loadInt64},
		"Set0Add0":           {set0Int64, add0Int64},
	})
}

func loadUint32(x *atomic.Uint32)      { use(x.Load()) }
func store1Uint32(x *atomic.Uint32)    { x.Store(1) }
func store2Uint32(x *atomic.Uint32)    { x.Store(2) }
func swap1Uint32(x *atomic.Uint32)     { x.Swap(1) }
func swap2UsedUint32(x *atomic.Uint32) { use(x.Swap(2)) }
func swap2Uint32(x *atomic.Uint32)     { x.Swap(2) }
func casUint32(x *atomic.Uint32)       { use(x.CompareAndSwap(0, 2)) }
func casFailsUint32(x *atomic.Uint32)  { use(x.CompareAndSwap(1, 2)) }
func addUint32(x *atomic.Uint32)       { x.Add(1) }
func addUsedUint32(x *atomic.Uint32)   { use(x.Add(1)) }
func add0Uint32(x *atomic.Uint32)      { use(x.Add(0)) }
func clearUint32(x *atomic.Uint32)     { x.And(4) }
func clearUsedUint32(x *atomic.Uint32) { use(x.And(4)) }
func setUint32(x *atomic.Uint32)       { x.Or(1) }
func setUsedUint32(x *atomic.Uint32)   { use(x.Or(1)) }
func set0Uint32(x *atomic.Uint32)      { use(x.Or(0)) }

func TestRaceUint32(t *testing.T) {
	run(t, map[string]pair[atomic.Uint32]{
		"LoadStore1":      {loadUint32, store1Uint32},
		"Store1Store2":    {store1Uint32, store2Uint32},
		"Store1Swap2":     {store1Uint32, swap2Uint32},
		"Store1Swap2Used": {store1Uint32, swap2UsedUint32},
		"Swap1Swap2":      {swap1Uint32, swap2Uint32},
		"Swap2UsedLoad":   {swap2UsedUint32, loadUint32},
		"CasStore1":       {casUint32, store1Uint32},
		"CasFailsStore2":  {casFailsUint32, store2Uint32},
		"AddLoad":         {addUint32, loadUint32},
		"AddUsedAddUsed":  {addUsedUint32, addUsedUint32},
		"AddAddUsed":      {addUint32, addUsedUint32},
		"AddStore1":       {addUint32, store1Uint32},
		"AddSet":          {addUint32, setUint32},
		"SetSetUsed":      {setUint32, setUsedUint32},
		"SetUsedSetUsed":  {setUsedUint32, setUsedUint32},
		"CasAdd":          {casUint32, addUint32},
	})
}

func TestNoRaceUint32(t *testing.T) {
	run(t, map[string]pair[atomic.Uint32]{
		"LoadLoad":           {loadUint32, loadUint32},
		"Store1Store1":       {store1Uint32, store1Uint32},
		"Store1Swap1":        {store1Uint32, swap1Uint32},
		"Swap1Swap1":         {swap1Uint32, swap1Uint32},
		"CasFailsLoad":       {casFailsUint32, loadUint32},
		"CasFailsCasFails":   {casFailsUint32, casFailsUint32},
		"CasLoad":            {casUint32, loadUint32},
		"CasCas":             {casUint32, casUint32},
		"AddAdd":             {addUint32, addUint32},
		"Add0Add0":           {add0Uint32, add0Uint32},
		"Add0Load":           {add0Uint32, loadUint32},
		"ClearClear":         {clearUint32, clearUint32},
		"ClearUsedClearUsed": {clearUsedUint32, clearUsedUint32},
		"SetSet":             {setUint32, setUint32},
		"Set0Load":           {set0Uint32, loadUint32},
		"Set0Add0":           {set0Uint32, add0Uint32},
	})
}

func loadUint64(x *atomic.Uint64)      { use(x.Load()) }
func store1Uint64(x *atomic.Uint64)    { x.Store(1) }
func store2Uint64(x *atomic.Uint64)    { x.Store(2) }
func swap1Uint64(x *atomic.Uint64)     { x.Swap(1) }
func swap2UsedUint64(x *atomic.Uint64) { use(x.Swap(2)) }
func swap2Uint64(x *atomic.Uint64)     { x.Swap(2) }
func casUint64(x *atomic.Uint64)       { use(x.CompareAndSwap(0, 2)) }
func casFailsUint64(x *atomic.Uint64)  { use(x.CompareAndSwap(1, 2)) }
func addUint64(x *atomic.Uint64)       { x.Add(1) }
func addUsedUint64(x *atomic.Uint64)   { use(x.Add(1)) }
func add0Uint64(x *atomic.Uint64)      { use(x.Add(0)) }
func clearUint64(x *atomic.Uint64)     { x.And(4) }
func clearUsedUint64(x *atomic.Uint64) { use(x.And(4)) }
func setUint64(x *atomic.Uint64)       { x.Or(1) }
func setUsedUint64(x *atomic.Uint64)   { use(x.Or(1)) }
func set0Uint64(x *atomic.Uint64)      { use(x.Or(0)) }

func TestRaceUint64(t *testing.T) {
	run(t, map[string]pair[atomic.Uint64]{
		"LoadStore1":      {loadUint64, store1Uint64},
		"Store1Store2":    {store1Uint64, store2Uint64},
		"Store1Swap2":     {store1Uint64, swap2Uint64},
		"Store1Swap2Used": {store1Uint64, swap2UsedUint64},
		"Swap1Swap2":      {swap1Uint64, swap2Uint64},
		"Swap2UsedLoad":   {swap2UsedUint64, loadUint64},
		"CasStore1":       {casUint64, store1Uint64},
		"CasFailsStore2":  {casFailsUint64, store2Uint64},
		"AddLoad":         {addUint64, loadUint64},
		"AddUsedAddUsed":  {addUsedUint64, addUsedUint64},
		"AddAddUsed":      {addUint64, addUsedUint64},
		"AddStore1":       {addUint64, store1Uint64},
		"AddSet":          {addUint64, setUint64},
		"SetSetUsed":      {setUint64, setUsedUint64},
		"SetUsedSetUsed":  {setUsedUint64, setUsedUint64},
		"CasAdd":          {casUint64, addUint64},
	})
}

func TestNoRaceUint64(t *testing.T) {
	run(t, map[string]pair[atomic.Uint64]{
		"LoadLoad":           {loadUint64, loadUint64},
		"Store1Store1":       {store1Uint64, store1Uint64},
		"Store1Swap1":        {store1Uint64, swap1Uint64},
		"Swap1Swap1":         {swap1Uint64, swap1Uint64},
		"CasFailsLoad":       {casFailsUint64, loadUint64},
		"CasFailsCasFails":   {casFailsUint64, casFailsUint64},
		"CasLoad":            {casUint64, loadUint64},
		"CasCas":             {casUint64, casUint64},
		"AddAdd":             {addUint64, addUint64},
		"Add0Add0":           {add0Uint64, add0Uint64},
		"Add0Load":           {add0Uint64, loadUint64},
		"ClearClear":         {clearUint64, clearUint64},
		"ClearUsedClearUsed": {clearUsedUint64, clearUsedUint64},
		"SetSet":             {setUint64, setUint64},
		"Set0Load":           {set0Uint64, loadUint64},
		"Set0Add0":           {set0Uint64, add0Uint64},
	})
}

func loadUintptr(x *atomic.Uintptr)      { use(x.Load()) }
func store1Uintptr(x *atomic.Uintptr)    { x.Store(1) }
func store2Uintptr(x *atomic.Uintptr)    { x.Store(2) }
func swap1Uintptr(x *atomic.Uintptr)     { x.Swap(1) }
func swap2UsedUintptr(x *atomic.Uintptr) { use(x.Swap(2)) }
func swap2Uintptr(x *atomic.Uintptr)     { x.Swap(2) }
func casUintptr(x *atomic.Uintptr)       { use(x.CompareAndSwap(0, 2)) }
func casFailsUintptr(x *atomic.Uintptr)  { use(x.CompareAndSwap(1, 2)) }
func addUintptr(x *atomic.Uintptr)       { x.Add(1) }
func addUsedUintptr(x *atomic.Uintptr)   { use(x.Add(1)) }
func add0Uintptr(x *atomic.Uintptr)      { use(x.Add(0)) }
func clearUintptr(x *atomic.Uintptr)     { x.And(4) }
func clearUsedUintptr(x *atomic.Uintptr) { use(x.And(4)) }
func setUintptr(x *atomic.Uintptr)       { x.Or(1) }
func setUsedUintptr(x *atomic.Uintptr)   { use(x.Or(1)) }
func set0Uintptr(x *atomic.Uintptr)      { use(x.Or(0)) }

func TestRaceUintptr(t *testing.T) {
	run(t, map[string]pair[atomic.Uintptr]{
		"LoadStore1":      {loadUintptr, store1Uintptr},
		"Store1Store2":    {store1Uintptr, store2Uintptr},
		"Store1Swap2":     {store1Uintptr, swap2Uintptr},
		"Store1Swap2Used": {store1Uintptr, swap2UsedUintptr},
		"Swap1Swap2":      {swap1Uintptr, swap2Uintptr},
		"Swap2UsedLoad":   {swap2UsedUintptr, loadUintptr},
		"CasStore1":       {casUintptr, store1Uintptr},
		"CasFailsStore2":  {casFailsUintptr, store2Uintptr},
		"AddLoad":         {addUintptr, loadUintptr},
		"AddUsedAddUsed":  {addUsedUintptr, addUsedUintptr},
		"AddAddUsed":      {addUintptr, addUsedUintptr},
		"AddStore1":       {addUintptr, store1Uintptr},
		"AddSet":          {addUintptr, setUintptr},
		"SetSetUsed":      {setUintptr, setUsedUintptr},
		"SetUsedSetUsed":  {setUsedUintptr, setUsedUintptr},
		"CasAdd":          {casUintptr, addUintptr},
	})
}

func TestNoRaceUintptr(t *testing.T) {
	run(t, map[string]pair[atomic.Uintptr]{
		"LoadLoad":           {loadUintptr, loadUintptr},
		"Store1Store1":       {store1Uintptr, store1Uintptr},
		"Store1Swap1":        {store1Uintptr, swap1Uintptr},
		"Swap1Swap1":         {swap1Uintptr, swap1Uintptr},
		"CasFailsLoad":       {casFailsUintptr, loadUintptr},
		"CasFailsCasFails":   {casFailsUintptr, casFailsUintptr},
		"CasLoad":            {casUintptr, loadUintptr},
		"CasCas":             {casUintptr, casUintptr},
		"AddAdd":             {addUintptr, addUintptr},
		"Add0Add0":           {add0Uintptr, add0Uintptr},
		"Add0Load":           {add0Uintptr, loadUintptr},
		"ClearClear":         {clearUintptr, clearUintptr},
		"ClearUsedClearUsed": {clearUsedUintptr, clearUsedUintptr},
		"SetSet":             {setUintptr, setUintptr},
		"Set0Load":           {set0Uintptr, loadUintptr},
		"Set0Add0":           {set0Uintptr, add0Uintptr},
	})
}
