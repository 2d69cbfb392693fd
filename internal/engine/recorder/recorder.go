// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/event"
)

const (
	header   = "commute trace 1\n"
	headSize = 36 // of a chunk
	headRoom = 60 // of a chunk of a ring; buffers begin with room for it
	bufSize  = 64 << 10
	maxStep  = 160 // bytes of a step and what comes before it
	events   = 1   // kinds of chunk
	defining = 2

	nextPos  = 1 << 5 // the position is the previous one's and 1
	deltaPos = 2 << 5 // it is given
)

var (
	recording atomic.Uint32 // 1 while steps are recorded
	frees     atomic.Uint32 // how often memory was freed
	shards    [host.Shards]shard
)

// next is the number up to which all are taken. It has a line of the cache to itself: the variables
// above are read at every step.
var next struct {
	_ [64]byte
	atomic.Uint64
	_ [56]byte
}

// On reports whether steps are recorded.
//
//go:nosplit
func On() bool { return recording.Load() != 0 }

// Start begins a file, which gets limit bytes, or a little more; 0 is no limit.
func Start(fd uintptr, limit uint64) {
	makeTables()
	file.fd, file.limit = fd, limit
	enable(file.write(unsafe.Slice(unsafe.StringData(header), len(header))))
}

// enable begins the recording, if the file's header could be written.
func enable(ok bool) {
	if ok {
		recording.Store(1)
		Meta("addresses", "true")
		Meta("quiet", "true")
		Meta("calls", "true")
		Meta("locks", "all")
		Meta("callbacks", "true")
		Meta("sections", "true")
		Meta("objects", "true")
	}
}

// Stop ends the recording: all that was recorded is in the file.
func Stop() {
	if recording.Swap(0) != 0 {
		finish()
	}
}

// Crash is Stop for a program that crashes, perhaps within this package: it waits for no lock for
// long. If a lock is not released, its holder may be the crashed thread, and the file is left as it
// is.
func Crash() {
	// The order is that of the locks: the file's first.
	if recording.Swap(0) == 0 || !waitUnlocked(&file.lock) || !waitUnlocked(&definitions.lock) {
		return
	}
	for i := range shards {
		if !waitUnlocked(&shards[i].lock) {
			return
		}
	}
	finish()
}

// waitUnlocked reports whether a lock is released soon. When nothing is recorded any more no thread
// takes it for long.
func waitUnlocked(l *offheap.Lock) bool {
	for try := range 10000 {
		if l.TryLock() {
			l.Unlock()
			return true
		}
		host.Pause(try)
	}
	return false
}

// finish writes out what the buffers hold.
func finish() {
	for i := range shards {
		shards[i].flush(0)
	}
	file.lock.Lock()
	file.define()
	file.lock.Unlock()
}

// A Thread is a goroutine, by its number from 1 on; 0 is the system.
type Thread struct {
	Number uint32
	last   uint32 // where it made its last step: see lastStep

	// What a ring has to tell of the goroutine in each segment: see writeState.
	parent, pos uint32
	goid        uint64
	depth       uint32 // transactions that are open
	section     uint32 // of the outermost
	suppressed  bool
}

// lastStep is the last field of a Thread: an epoch, of 24 bits, and a shard and 1.
func lastStep(epoch, shard uint32) uint32 { return epoch<<8 | (shard + 1) }

// Step records a step that has no argument.
func Step(k event.Kind, t *Thread, pos uint32) {
	s := begin(k, t, pos)
	if s == nil {
		return
	}
	switch k {
	case event.Hide, event.Show:
		t.suppressed = k == event.Hide
	// The depth counts what a ring's State has to tell.
	case event.End:
		if !t.suppressed && t.depth > 0 { // suppressed transactions count for nothing
			t.depth--
		}
	}
	s.lock.Unlock()
}

// StepOf records a step whose argument is a small number: those from Fork to TestEnd.
func StepOf(k event.Kind, t *Thread, pos uint32, arg uint32) {
	if s := begin(k, t, pos); s != nil {
		s.number(uint64(arg))
		if k == event.Begin && !t.suppressed {
			if t.depth++; t.depth == 1 {
				t.section = arg
			}
		}
		s.lock.Unlock()
	}
}

// Access records an access to the byte at addr: Read or Write. An address is written as its
// distance from the last one in this buffer, which mostly is a short number.
func Access(k event.Kind, t *Thread, pos uint32, addr uint64) {
	if s := begin(k, t, pos); s != nil {
		s.signed(addr - s.addr)
		s.addr = addr
		s.lock.Unlock()
	}
}

// Range records accesses to size bytes: ReadRange or WriteRange.
func Range(k event.Kind, t *Thread, pos uint32, addr, size uint64) {
	if s := begin(k, t, pos); s != nil {
		s.signed(addr - s.addr)
		s.addr = addr
		s.number(size)
		s.lock.Unlock()
	}
}

// Sync records synchronization at addr: those from Acquire to AtomicRMW.
func Sync(k event.Kind, t *Thread, pos uint32, addr uint64) {
	if s := begin(k, t, pos); s != nil {
		s.signed(addr - s.sync)
		s.sync = addr
		s.lock.Unlock()
	}
}

// Call records a call of a method of the object at addr. Its touches follow.
func Call(t *Thread, pos uint32, addr uint64, method, touches uint32) {
	if s := begin(event.Call, t, pos); s != nil {
		s.object(addr)
		s.number(uint64(method))
		s.number(uint64(touches))
		s.lock.Unlock()
	}
}

// Touch records that the call has touched an access point of the object at addr; if keyed that of a
// key.
func Touch(t *Thread, pos uint32, addr uint64, point uint32, key uint64, keyed bool) {
	k := event.Touch
	if keyed {
		k = event.TouchKey
	}
	if s := begin(k, t, pos); s != nil {
		s.object(addr)
		s.number(uint64(point))
		if keyed {
			s.word(key)
		}
		s.lock.Unlock()
	}
}

// Enter records that a call of a method of the object at addr begins, with the first of its keys.
func Enter(t *Thread, pos uint32, addr uint64, method uint32, key uint64) {
	if s := begin(event.Enter, t, pos); s != nil {
		s.object(addr)
		s.number(uint64(method))
		s.word(key)
		s.lock.Unlock()
	}
}

// What a Value is, as package internal/trace/spec has it: the i-th key, argument or result of the
// call that follows, and more. Those from Takes to Passes are of synchronization.
const (
	KeyOf  = 0  // and i
	KeptOf = 8  // and i
	HashOf = 16 // and i
	TrueOf = 24 // and i
	Frame  = 32
	Left   = 33
	Gone   = 34

	Takes  = 35
	Frees  = 36
	Fails  = 37
	Meets  = 38
	Passes = 39

	Out  = 40
	Back = 41

	Locking   = 42
	Enters    = 43
	Leaves    = 44
	Touches   = 45
	TouchKey  = 46
	TouchWord = 47
	TouchLen  = 48
	Orders    = 49
	Exchanges = 50

	Announces = 51
	Operated  = 52

	Channel  = 53
	Slots    = 54
	Adds     = 55
	FailsOn  = 56
	LooksAt  = 57
	Anywhere = 58
)

// SiteShift is where the number of a place begins, above Locking, Touches and Announces, what an
// operation does, above Operated, and the size of a buffer, above Slots.
const SiteShift = 6

// Flags of Takes and Frees, below the distance of the lock's address.
const (
	Reader    = 1
	Waits     = 2
	Direct    = 4
	LockShift = 3
)

// SizeShift is where the distance of the address begins in Announces. Below is how many bits the
// size has.
const SizeShift = 5

// Value records a value of the call of t that follows, or of the one that is under way.
func Value(t *Thread, pos uint32, what uint32, value uint64) {
	if s := begin(event.Value, t, pos); s != nil {
		s.number(uint64(what))
		s.number(value)
		s.lock.Unlock()
	}
}

// Progress records what happens to the call of t that is under way, Left, Gone, Out or Back; or
// what t does that synchronizes: Fails, Meets or Passes; or that t orders itself with others.
// Unlike other values it has a number after all that is recorded by now, as the calls of an object
// have, and as synchronization has.
func Progress(t *Thread, what uint32, value uint64) {
	if s := beginAs(event.Value, t, samePos, true); s != nil {
		s.number(uint64(what))
		s.number(value)
		s.lock.Unlock()
	}
}

// Lock records that t takes or frees the lock at addr: Takes or Frees, with flags. The address is
// written as its distance from that of the last synchronization, which mostly is short.
func Lock(t *Thread, what uint32, addr, flags uint64) {
	if s := beginAs(event.Value, t, samePos, true); s != nil {
		s.number(uint64(what))
		s.number(s.distance(addr)<<LockShift | flags)
		s.lock.Unlock()
	}
}

// Announced records that t is about to make an atomic operation of size bytes at addr, at a place
// that has a number. The address is written as Lock does it.
func Announced(t *Thread, pos, place uint32, addr, size uint64) {
	if s := beginAs(event.Value, t, pos, true); s != nil {
		s.number(Announces | uint64(place)<<SiteShift)
		s.number(s.distance(addr)<<SizeShift | uint64(host.Len64(size)))
		s.lock.Unlock()
	}
}

// OfObject records something of the object of synchronization at addr: Channel, Slots, Adds,
// FailsOn or LooksAt. More goes above SiteShift. The address is written as its distance from that
// of the last synchronization.
func OfObject(t *Thread, what uint32, more, addr uint64) {
	if s := beginAs(event.Value, t, samePos, true); s != nil {
		s.number(uint64(what) | more<<SiteShift)
		s.number(s.distance(addr))
		s.lock.Unlock()
	}
}

// Epoch is a number that changes when what was recorded of an object may be written over, and that
// is never 0.
//
//go:nosplit
func Epoch() uint32 { return epoch.Load() + 1 }

// distance is that of an address from the last synchronization, in zigzag form.
func (s *shard) distance(addr uint64) uint64 {
	d := addr - s.sync
	return d<<1 ^ uint64(int64(d)>>63)
}

// Fresh records that the memory from addr on belongs to no object any more. A step that accesses it
// as a new object's must have a greater number. So it counts the frees after the step: a shard that
// sees the new count takes new numbers.
func Fresh(addr, size uint64) {
	var system Thread
	if s := begin(event.Fresh, &system, 0); s != nil {
		s.word(addr)
		s.number(size)
		s.lock.Unlock()
		frees.Add(1) // a goroutine that gets the memory sees this
	}
}
