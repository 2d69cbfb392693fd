// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch_test

import (
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/patch"
)

// TestUnexpected has packages of a release that commute does not know.
func TestUnexpected(t *testing.T) {
	const unknown = "this commute does not know the package "
	tests := []struct {
		name   string
		path   string
		files  map[string]string
		change func(*patch.Package) error
		want   string
	}{
		{"no file", "sync", nil, (*patch.Package).Cond, unknown +
			"sync of go1.26.8: it has no file cond.go"},
		{
			"no method", "sync",
			map[string]string{"cond.go": "package sync\nfunc (c *Cond) Signal() {}\n"},
			(*patch.Package).Cond, "cond.go does not declare (*Cond).Broadcast",
		},
		{
			"no call", "sync",
			map[string]string{"cond.go": "package sync\nfunc (c *Cond) Signal() {}\nfunc (c " +
				"*Cond) Broadcast() {}\nfunc (c *Cond) Wait() {}\n"},
			(*patch.Package).Cond, "(*Cond).Wait does not call runtime_notifyListWait",
		},
		{
			"mutex", "internal/sync",
			map[string]string{"mutex.go": "package sync\nfunc (m *Mutex) Lock() { " +
				"race.Acquire(m) }\n" +
				"func (m *Mutex) lockSlow() {}\nfunc (m *Mutex) TryLock() bool { return false " +
				"}\nfunc (m *Mutex) Unlock() {}\n"},
			func(p *patch.Package) error { return p.Mutex(true) },
			"(*Mutex).lockSlow does not call race.Acquire as often as it did",
		},
		{
			"try", "sync",
			map[string]string{"rwmutex.go": "package sync\nfunc (rw *RWMutex) RLock() { " +
				"race.Acquire(rw) }\n" +
				"func (rw *RWMutex) TryRLock() bool { race.Acquire(rw); return true }\n" +
				"func (rw *RWMutex) Lock() { race.Acquire(rw); race.Acquire(rw) }\n" +
				"func (rw *RWMutex) TryLock() bool { race.Acquire(rw); race.Acquire(rw); return " +
				"true }\n" +
				"func (rw *RWMutex) RUnlock() { race.ReleaseMerge(rw) }\nfunc (rw *RWMutex) " +
				"Unlock() { race.Release(rw) }\n"},
			func(p *patch.Package) error { return p.RWMutex(true) },
			"(*RWMutex).TryLock does not return false",
		},
		{
			"testing", "testing",
			map[string]string{"testing.go": "package testing\nfunc (c *T) resetRaces() {}\n"},
			(*patch.Package).Testing, "testing.go does not declare (*common).resetRaces",
		},
		{
			"timers", "runtime",
			map[string]string{"time.go": "package runtime\nfunc newTimer() { racerelease(nil) " +
				"}\nfunc resetTimer() {}\n"},
			(*patch.Package).Timers, "resetTimer does not call racerelease",
		},
		{
			"coroutines", "runtime",
			map[string]string{"coro.go": "package runtime\nfunc coroexit(c *coro) {}\n"},
			(*patch.Package).Coroutines, "coroexit does not call mcall",
		},
		{
			"signals", "runtime",
			map[string]string{"signal_unix.go": "package runtime\nfunc sighandler(sig uint32) {}\n"},
			(*patch.Package).EndBySignal, "sighandler does not call dieFromSignal",
		},
		{
			"hashes", "hash/maphash",
			map[string]string{"maphash.go": "package maphash\nfunc comparableHash() {}\n"},
			(*patch.Package).ExploreMaps, "hash/maphash of go1.26.8: it hashes no keys",
		},
		{
			"channels", "runtime",
			map[string]string{"chan.go": "package runtime\nfunc racesync(c *hchan) {}\n"},
			(*patch.Package).Channels, "racesync does not have a channel and a waiting goroutine",
		},
		{
			"allocator", "runtime",
			map[string]string{"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
				"true\n"},
			(*patch.Package).Memory, "malloc.go does not ask for raceenabled",
		},
		{
			"tiny objects", "runtime",
			map[string]string{"malloc.go": "package runtime\nconst a = raceenabled\n" +
				allocationParts},
			(*patch.Package).Memory, "malloc.go does not keep blocks of tiny objects",
		},
		{
			"allocator's experiment", "runtime",
			map[string]string{"malloc.go": "package runtime\nconst a = raceenabled\n" +
				allocationParts + tinyParts},
			(*patch.Package).Memory, "malloc.go does not declare runtimeFreegcEnabled",
		},
		{
			"sweeper", "runtime", map[string]string{
				"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
					"raceenabled\n" + allocationParts + tinyParts,
				"malloc_generated.go": "package runtime\n" + tinyParts,
				"mgcsweep.go": "package runtime\nfunc (sl *sweepLocked) sweep() { s := sl.mspan; " +
					"_ = s }\n",
			},
			(*patch.Package).Memory,
			"(*sweepLocked).sweep does not look at freed objects for raceenabled",
		},
		{
			"heap", "runtime", map[string]string{
				"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
					"raceenabled\n" + allocationParts + tinyParts,
				"malloc_generated.go": "package runtime\n" + tinyParts,
				"mgcsweep.go": "package runtime\nfunc (sl *sweepLocked) sweep() { s := sl.mspan; " +
					"if raceenabled || traceAllocFreeEnabled() {} }\n",
				"mheap.go": "package runtime\nfunc (h *mheap) alloc() *mspan { return nil() }\n",
			},
			(*patch.Package).Memory, "(*mheap).alloc does not return a variable",
		},
		{
			"race.go", "internal/race",
			map[string]string{"norace.go": "package race\nfunc New(x int)\n",
				"race.go": "//go:build race\npackage race\n"},
			func(p *patch.Package) error { return p.InternalRace(true) },
			"race.go does not declare New(int)",
		},
		{
			"race constraint", "internal/race", map[string]string{"norace.go": "package race\n",
				"race.go": "package race\n"},
			func(p *patch.Package) error { return p.InternalRace(true) },
			"race.go is not constrained to race",
		},
		{
			"atomic", "sync/atomic",
			map[string]string{"doc.go": "package atomic\nfunc LoadInt32(addr *int32) int64\n"},
			atomics, "it declares LoadInt32(*int32) (int64)",
		},
		{
			"new atomic", "sync/atomic",
			map[string]string{"doc.go": "package atomic\nfunc NandInt32(addr *int32) int32\n"},
			atomics, "it declares NandInt32(*int32) (int32)",
		},
		{
			"few atomics", "sync/atomic", map[string]string{"doc.go": "package atomic\n"},
			atomics, "it does not declare ",
		},
	}
	for _, test := range tests {
		err := test.change(package_(t, test.path, test.files))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func atomics(p *patch.Package) error { return p.Atomic(false) }

// allocationParts are the parts of malloc.go that are changed, so that allocation sites are known.
const allocationParts = "const sizeSpecializedMallocEnabled = true\n" +
	"func mallocgc(size uintptr) { if raceenabled { racemalloc(x, size) } }\n"

// tinyParts are the parts by which the allocator keeps a block for several tiny objects.
const tinyParts = "func tiny() { if !raceenabled && (size < c.tinyoffset || c.tiny == 0) {} }\n"
