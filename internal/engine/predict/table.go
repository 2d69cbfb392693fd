// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package predict

// A table is a hash table of what is known of addresses. An entry is free if no candidate that
// exists is in it.
type table[T any] struct {
	entry [entries]struct {
		addr  uintptr
		value T
	}
}

const (
	entries = 1 << 11
	probes  = 16 // the indexes where an address may be
)

// tableIndex is the i-th index where an address may be.
func tableIndex(addr uintptr, i int) int {
	return int(uint32(addr>>1)*0x9E3779B1>>16+uint32(i)) % entries
}

// find returns what is known of an address, nil for nothing.
func (t *table[T]) find(addr uintptr) *T {
	for i := range probes {
		if e := &t.entry[tableIndex(addr, i)]; e.addr == addr {
			return &e.value
		}
	}
	return nil
}

// object returns the object at an address, and makes it if it's not there. It returns nil if
// there is no room.
func (r *registry) object(addr uintptr) *syncObject {
	if o := r.objects.find(addr); o != nil {
		return o
	}
	for i := range probes {
		e := &r.objects.entry[tableIndex(addr, i)]
		if e.addr == 0 || r.present(e.value.dependsOn) == 0 {
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

// A syncObject is anything but a lock that goroutines synchronize by.
type syncObject struct {
	dependsOn CandidateSet // what its releases depend on
}

// A lockState is what is known of a lock.
type lockState struct {
	// The candidates whose witness leaves a writer inside, which can have no later acquire; and
	// those whose witness leaves a reader inside, which can have no later acquire by a writer.
	writerLeft, readerLeft CandidateSet

	neededBy        CandidateSet // the candidates that need the lock free before Second
	writeHeld       bool         // a writer holds it; known as long as a candidate needs it
	writerDependsOn CandidateSet // what that writer's acquire depends on
	readers         uint32       // the number of readers that hold it
}

// unused reports whether l says nothing about any candidate.
func (l *lockState) unused(r *registry) bool {
	return r.present(l.writerLeft)|r.present(l.readerLeft)|r.present(l.neededBy) == 0
}
