// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

// A Kind says what an operation is.
type Kind uint8

// The kinds of operations.
const (
	None        Kind = iota
	Lock             // of a mutex
	WLock            // of an RWMutex, to write: it takes a mutex of the same address
	RLock            // of an RWMutex, to read
	Send             // to a channel
	Recv             // from a channel
	Close            // of a channel
	Select           // of some channels
	Atomic           // an operation of package sync/atomic that writes
	Begin            // of a call of a specified method
	Observed         // a call of a specified method that observes is over
	Go               // a go statement was made
	Wait             // of a Cond, a WaitGroup or a Once
	Signal           // of a Cond
	Section          // a lock or an atomic operation that instrumented code announces
	Transaction      // begins, or ends
	Load             // an operation of package sync/atomic that only reads
)

// remembered is how many objects a task remembers to have used.
const remembered = 16

// A Task is what is known of a goroutine under control.
type Task struct {
	G      uintptr // of the runtime; 0 while the task is free
	Name   uint64
	prio   uint64 // of policy Pos
	done   uint32 // points in this run
	heldAt uint32 // the run's decisions when it was held
	run    uint32 // the run that done, used and held are of
	births uint32 // tasks made by it
	born   uint32 // the run that made it
	next   uint32 // in the list of free tasks

	object uint32 // the ordinal that its next operation is of, 0 for none
	kind   Kind   // of its last operation
	addr   uintptr
	pc     uintptr // where the program makes it: a return address, 0 if that is not known
	about  bool    // it was not made yet

	held    bool
	pending bool
	Away    bool  // its token was given to another one while it was in a system call
	depth   uint8 // of transactions

	used  [remembered]uint32 // ordinals, in a ring
	usedN uint32
}

// uses reports whether the task remembers to have used an object.
func (t *Task) uses(object uint32) bool {
	for i := range min(t.usedN, remembered) {
		if t.used[i] == object {
			return true
		}
	}
	return false
}

func (t *Task) use(object uint32) {
	if !t.uses(object) {
		t.used[t.usedN%remembered] = object
		t.usedN++
	}
}

// fresh forgets what was of an earlier run.
func (t *Task) fresh(run uint32) {
	if t.run != run {
		t.run, t.done, t.usedN, t.held, t.object, t.depth = run, 0, 0, false, 0, 0
		t.about = false
	}
}

const (
	chunkTasks = 1 << 10
	maxChunks  = 1 << 12
)

// tasks is a table of tasks by their numbers, which begin with 1.
type tasks struct {
	chunks [maxChunks]offheap.Ref[[chunkTasks]Task]
	n      uint32 // numbers that were ever used
	free   uint32 // the first free one, 0 for none
}

func (ts *tasks) at(id uint32) *Task {
	return &ts.chunks[id/chunkTasks].P()[id%chunkTasks]
}

// get is the number of a new task; 0 if there are too many.
func (ts *tasks) get() uint32 {
	if id := ts.free; id != 0 {
		t := ts.at(id)
		ts.free = t.next
		*t = Task{}
		return id
	}
	id := ts.n + 1
	if id/chunkTasks >= maxChunks {
		return 0
	}
	ts.n = id
	if c := &ts.chunks[id/chunkTasks]; c.Nil() {
		*c = offheap.To((*[chunkTasks]Task)(host.Alloc(unsafe.Sizeof([chunkTasks]Task{}))))
	}
	return id
}

func (ts *tasks) put(id uint32) {
	t := ts.at(id)
	t.G, t.next = 0, ts.free
	ts.free = id
}

// A table has a number for each of some keys, which are not 0. It is emptied at once.
type table struct {
	p    offheap.Ref[entry]
	log  uint
	n    uint32
	turn uint32 // entries of other turns are free
}

type entry struct {
	key   uint64
	value uint32
	turn  uint32
}

// clear takes out all keys.
func (t *table) clear() { t.turn, t.n = t.turn+1, 0 }

func (t *table) entry(i uint64) *entry {
	return (*entry)(unsafe.Add(unsafe.Pointer(t.p.P()), uintptr(i&(1<<t.log-1))*
		unsafe.Sizeof(entry{})))
}

// find is the value of a key. If there is none and add is set, it becomes one more than the number
// of keys before. Otherwise it is nil.
func (t *table) find(key uint64, add bool) *uint32 {
	if t.p.Nil() || 2*uint64(t.n) >= 1<<t.log {
		t.grow()
	}
	for i := Mix(key); ; i++ {
		e := t.entry(i)
		switch {
		case e.turn != t.turn && !add:
			return nil
		case e.turn != t.turn:
			t.n++
			*e = entry{key, t.n, t.turn}
			return &e.value
		case e.key == key:
			return &e.value
		}
	}
}

func (t *table) grow() {
	old := *t
	t.log = max(10, old.log+1)
	t.p = offheap.To((*entry)(host.Alloc(unsafe.Sizeof(entry{}) << t.log)))
	t.turn = max(1, old.turn)
	if old.p.Nil() {
		return
	}
	for i := range uint64(1) << old.log {
		if e := old.entry(i); e.turn == old.turn {
			j := Mix(e.key)
			for t.entry(j).turn == t.turn {
				j++
			}
			*t.entry(j) = *e
		}
	}
}

// Mix is a hash of a number: that of splitmix64.
//
//go:nosplit
func Mix(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

var kindNames = [Load + 1]string{"operation", "lock", "write lock", "read lock", "send",
	"receive", "close", "select", "atomic", "call", "return", "go", "wait", "signal", "section",
	"transaction", "load"}

// String is the name of a kind.
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return kindNames[None]
	}
	return kindNames[k]
}
