// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

// A table has what is known of addresses, as far as ghosts are concerned: an entry is free when it says nothing of any.
type table[T any] struct {
	entry [entries]struct {
		addr  uintptr
		value T
	}
}

const (
	entries = 1 << 11
	probes  = 16 // the places where an address may be
)

func tableIndex(addr uintptr, i int) int {
	return int(uint32(addr>>1)*0x9E3779B1>>16+uint32(i)) % entries
}

// find returns what is known of an address, nil if that's nothing.
func (t *table[T]) find(addr uintptr) *T {
	for i := range probes {
		if e := &t.entry[tableIndex(addr, i)]; e.addr == addr {
			return &e.value
		}
	}
	return nil
}

// object returns the object at an address, which it makes if it's not there; nil if there is no room.
func (r *registry) object(addr uintptr) *syncObject {
	if o := r.objects.find(addr); o != nil {
		return o
	}
	for i := range probes {
		if e := &r.objects.entry[tableIndex(addr, i)]; e.addr == 0 || r.present(e.value.dependsOn) == 0 {
			e.addr, e.value = addr, syncObject{}
			return &e.value
		}
	}
	return nil
}

// lockAt is object for locks.
func (r *registry) lockAt(addr uintptr) *lockState {
	if l := r.locks.find(addr); l != nil {
		return l
	}
	for i := range probes {
		if e := &r.locks.entry[tableIndex(addr, i)]; e.addr == 0 || e.value.unused(r) {
			e.addr, e.value = addr, lockState{}
			return &e.value
		}
	}
	return nil
}

// An object is what goroutines synchronize by, other than a lock.
type syncObject struct {
	dependsOn CandidateSet // what its releases depend on
}

// A lockState is of a lock.
type lockState struct {
	// The ghosts that leave a writer, or a reader, inside: later acquires, or those of writers, can't be.
	writerLeft, readerLeft CandidateSet

	neededBy        CandidateSet // the ghosts that need it
	writeHeld       bool         // a writer has it; of pinned locks
	writerDependsOn CandidateSet // what that writer's acquire depends on
	readers         uint32
}

func (l *lockState) unused(r *registry) bool {
	return r.present(l.writerLeft)|r.present(l.readerLeft)|r.present(l.neededBy) == 0
}
