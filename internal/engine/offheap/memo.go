// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offheap

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// A Memo remembers a number for each of any number of keys, which are not 0: what was put for a key
// first stays. Get takes no lock, and a step or two however many keys there are. The zero Memo is
// empty and ready for use.
//
// It is a table with open addressing, never more than half full. One that is to grow is replaced by
// a copy of twice the size. The old ones, together as large as the copy at most, are not used
// again, as there may be readers in them still.
//
// A reader that comes while Put changes the table may miss the new key, and nothing else. An entry
// is there in full before its key is, and a copy is complete before it is stored.
type Memo struct {
	lock  Guard // held to put
	table AtomicRef[memoTable]
}

type memoTable struct {
	entries Ref[memoEntry]
	log     uint // 1<<log entries
	used    int  // changed under the lock
}

// A memoEntry is free while its key is 0. The number is there before the key is.
type memoEntry struct{ key, number atomic.Uint64 }

const smallestMemo = 5 // the log of the first table's size

// at is entry i, counted round.
func (t *memoTable) at(i uint64) *memoEntry {
	i &= 1<<t.log - 1
	return (*memoEntry)(unsafe.Add(unsafe.Pointer(t.entries.P()),
		uintptr(i)*unsafe.Sizeof(memoEntry{})))
}

// find is the entry of a key, or the free one where it belongs.
func (t *memoTable) find(key uint64) (e *memoEntry, found bool) {
	for i := key * 0x9E3779B97F4A7C15 >> (64 - t.log); ; i++ {
		e := t.at(i)
		switch e.key.Load() {
		case key:
			return e, true
		case 0:
			return e, false
		}
	}
}

// Get is the number that was put for a key; ok is false if none was.
func (m *Memo) Get(key uint64) (number uint64, ok bool) {
	t := m.table.Load()
	if t == nil {
		return 0, false
	}
	e, ok := t.find(key)
	if !ok {
		return 0, false
	}
	return e.number.Load(), true
}

// Put remembers a number for a key, unless there is one. It returns the one that is there then.
// A caller that gets the number sees what was stored before Put.
func (m *Memo) Put(key, number uint64) uint64 {
	m.lock.Lock()
	t := m.table.Load()
	if t == nil {
		t = newMemoTable(smallestMemo)
		m.table.Store(t)
	}
	e, found := t.find(key)
	if found {
		number = e.number.Load()
		m.lock.Unlock()
		return number
	}
	if 2*t.used >= 1<<t.log {
		t = t.grown()
		m.table.Store(t)
		e, _ = t.find(key)
	}
	t.put(e, key, number)
	m.lock.Unlock()
	return number
}

// put fills a free entry. The order of the two stores is what readers rely on.
func (t *memoTable) put(e *memoEntry, key, number uint64) {
	t.used++
	host.Publish64(&e.number, number)
	host.Publish64(&e.key, key)
}

func newMemoTable(log uint) *memoTable {
	t := (*memoTable)(host.Alloc(unsafe.Sizeof(memoTable{})))
	t.log = log
	t.entries = To((*memoEntry)(host.Alloc(unsafe.Sizeof(memoEntry{}) << log)))
	return t
}

// grown is a table of twice the size with the same entries.
func (t *memoTable) grown() *memoTable {
	bigger := newMemoTable(t.log + 1)
	for i := range uint64(1) << t.log {
		old := t.at(i)
		if key := old.key.Load(); key != 0 {
			e, _ := bigger.find(key)
			bigger.put(e, key, old.number.Load())
		}
	}
	return bigger
}
