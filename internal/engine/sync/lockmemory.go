// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import "github.com/commutego/commute/internal/engine/offheap"

// A goroutine that takes one lock inside of another, or a few in turns, remembers what it has found
// at several: a list of its own has room for them, which most goroutines don't need.

const (
	moreLocks = 3 // that a list has, besides the last one
	inOrder   = 4 // locks whose sections a list has
	// few is how often a goroutine takes another lock than the last before it has a list.
	few = 8
)

// knownLocks is what a goroutine remembers of locks.
type knownLocks struct {
	last   lastAcquired // of the lock that was noted last
	others uint32       // how often that was another one than before, up to few
	more   offheap.Ref[lockList]
}

// A lockList has locks that were noted before the last one, and those that have sections.
type lockList struct {
	locks    [moreLocks]lastAcquired
	found    [moreLocks]bool // it was of use since next has passed it
	next     int             // of locks, the one that makes room
	sections [inOrder]knownSections
	nextOf   int // of sections

	fresh     [4]freshPlace
	nextFresh int
}

var lockLists offheap.Slab[lockList]

// find is what is remembered of an address where locks announce, nil if there is nothing.
func (k *knownLocks) find(addr uintptr) *lastAcquired {
	if k.last.not == ^addr {
		return &k.last
	}
	if m := k.more.P(); m != nil {
		for i := range m.locks {
			if l := &m.locks[i]; l.not == ^addr {
				m.found[i] = true
				return l
			}
		}
	}
	return nil
}

// place is where to note what there is at an address.
func (k *knownLocks) place(addr uintptr) *lastAcquired {
	if l := k.find(addr); l != nil {
		return l
	}
	if k.last.not == 0 {
		return &k.last
	}
	if k.others < few {
		k.others++
		return &k.last
	}
	m := k.list()
	for m.found[m.next] {
		m.found[m.next] = false
		m.next = (m.next + 1) % moreLocks
	}
	m.locks[m.next] = k.last
	m.next = (m.next + 1) % moreLocks
	return &k.last
}

// list is the list, which is made if there is none.
func (k *knownLocks) list() *lockList {
	m := k.more.P()
	if m == nil {
		m = lockLists.Get()
		*m = lockList{}
		k.more = offheap.To(m)
	}
	return m
}

// forget forgets all locks.
func (k *knownLocks) forget() {
	k.last.not, k.others = 0, 0
	if m := k.more.P(); m != nil {
		lockLists.Put(m)
		k.more = offheap.Ref[lockList]{}
	}
}
