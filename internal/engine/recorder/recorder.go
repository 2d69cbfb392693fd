// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package recorder writes a binary trace of the program that it is part of, while that runs.
//
// Input: the steps of goroutines, each with a position and at most one number, and definitions of what the
// numbers stand for. Output: a file, as package internal/trace/spec has it.
//
// Each processor has a buffer of its own, which becomes a chunk when it is full. It takes the numbers of its steps from one
// counter, many at once: what has to be kept is that a step has a greater number than those that are ordered before it. So
// it takes new ones where a goroutine learns what others did (an acquire), where one goes on that was on another processor, and
// where memory was freed, if another processor has taken any since; else a step costs a lock that hardly anybody else wants, and
// few bytes. Of two steps
// that nothing orders, as in a data race, either may have the lower number.
//
// What no buffer holds back is told by each chunk (low), so that a file that is cut off is good up to there. Memory is
// bounded by the number of processors, not of goroutines.
//
// A file may be a ring (ring.go), which keeps the last steps only. Then each goroutine says again in each segment, before its
// first step there, what it is doing.
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

type buffer [bufSize]byte

// A shard is the buffer of a processor.
type shard struct {
	lock  offheap.Lock
	buf   offheap.Ref[buffer]
	n     int    // bytes, with the header of the chunk
	steps uint32 // 0: the buffer is empty
	first uint64 // number of the first
	after uint64 // the number after that of the last
	next  uint64 // the number for the next, if it's less than end
	end   uint64
	freed uint32 // frees, when those numbers were taken
	g     uint32
	pos   uint32
	addr  uint64 // of the last access
	sync  uint64 // of the last synchronization
	obj   uint64 // of the last call
	_     [64]byte
}

var (
	recording atomic.Uint32
	frees     atomic.Uint32
	shards    [host.Shards]shard
)

// next is the number up to which all are taken. It has a line of the cache to itself: the others are read at every step.
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

func enable(ok bool) {
	if ok {
		recording.Store(1)
		Meta("addresses", "true")
		Meta("quiet", "true")
	}
}

// Stop ends the recording: all that was recorded is in the file.
func Stop() {
	if recording.Swap(0) != 0 {
		finish()
	}
}

// Crash is Stop for a program that crashes, perhaps within this package: it waits for no lock for long.
func Crash() {
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

// free reports whether a lock is let go soon. Where nothing is recorded any more nobody takes it for long.
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
	last   uint32 // the epoch in which it made its last step, and on which shard, and 1: see mark

	// What a ring has to tell of it again and again: see introduce.
	parent, pos uint32
	goid        uint64
	depth       uint32 // transactions that are open
	section     uint32 // of the outermost
	suppressed  bool
}

// mark is what a Thread's last step says of an epoch, of 24 bits, and a shard.
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
	case event.End:
		if !t.suppressed && t.depth > 0 { // hidden transactions count for nothing
			t.depth--
		}
	}
	s.lock.Unlock()
}

// StepOf records a step that has one which is a small number: those from Fork to TestEnd.
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

// Access records an access to the byte at addr: Read or Write.
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

// Touch records that the call has touched an access point of the object at addr; if keyed that of a key.
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

func (s *shard) object(addr uint64) {
	s.signed(addr - s.obj)
	s.obj = addr
}

// Renew records that the memory from addr on is nobody's any more.
func Fresh(addr, size uint64) {
	var system Thread
	if s := begin(event.Fresh, &system, 0); s != nil {
		s.word(addr)
		s.number(size)
		s.lock.Unlock()
		frees.Add(1) // whoever gets the memory comes later
	}
}

const numbersTaken = 1 << 10 // numbers that are taken at once

// begin returns the caller's shard with its lock held, and in it the beginning of a step, for which there is room. It
// is nil if nothing is recorded any more.
//
// Numbers are not taken anew while nobody else has taken any since: then those that s has left are greater than all that
// other shards have given.
func begin(k event.Kind, t *Thread, pos uint32) *shard {
	i := host.Shard()
	s := &shards[i]
	s.lock.Lock()
	if (s.n > bufSize-maxStep || s.steps == 0 || recording.Load() == 0) && !s.ready() {
		return nil
	}
	now, here := frees.Load(), lastStep(epoch.Load(), i)
	entered := t.last>>8 != here>>8 && t.Number != 0
	if s.end-s.next < 2 || (s.freed != now || t.last != here || k.Acquires()) && s.end != next.Load() {
		s.next = next.Add(numbersTaken) - numbersTaken
		s.end = s.next + numbersTaken
	}
	s.freed, t.last = now, here
	if s.g != t.Number || s.after != s.next || s.steps == 0 {
		s.beginStep(t.Number)
	}
	if entered {
		s.writeState(t)
	}
	s.step(k, pos)
	return s
}

// ready sees to it that there is a buffer, with room for a step. If nothing is recorded any more it reports false, and lets
// the lock go.
func (s *shard) ready() bool {
	for s.n > bufSize-maxStep {
		s.lock.Unlock()
		s.flush(bufSize - maxStep)
		s.lock.Lock()
	}
	if recording.Load() == 0 {
		s.lock.Unlock()
		return false
	}
	if s.buf.Nil() {
		s.buf = offheap.To((*buffer)(host.Alloc(unsafe.Sizeof(buffer{}))))
	}
	return true
}

// turn begins a chunk if there is none, and writes who makes the step that follows, and its number, where they don't go
// without saying.
func (s *shard) beginStep(g uint32) {
	if s.steps == 0 {
		s.n, s.first, s.after = headRoom, s.next, s.next
		s.pos, s.addr, s.sync, s.obj = 0, 0, 0, 0
	}
	if s.g != g || s.steps == 0 {
		s.g = g
		s.byte(byte(event.Go))
		s.number(uint64(g))
	}
	if s.after != s.next {
		s.byte(byte(event.Seq))
		s.signed(s.next - s.after)
	}
}

// step begins a step, the next one of who has the turn.
func (s *shard) step(k event.Kind, pos uint32) {
	s.next++
	s.after = s.next
	s.steps++
	switch by := pos - s.pos; by {
	case 0:
		s.byte(byte(k))
	case 1:
		s.byte(byte(k) | nextPos)
	default:
		s.byte(byte(k) | deltaPos)
		s.signed(uint64(int64(int32(by - 1))))
	}
	s.pos = pos
}

func (s *shard) byte(b byte) {
	s.buf.P()[uint16(s.n)] = b // bufSize is 64 KB
	s.n++
}

// number writes a varint, and up to 7 bytes that are none of it: there is room.
func (s *shard) number(v uint64) {
	if v < 0x80 {
		s.byte(byte(v))
		return
	}
	for ; v >= 1<<56; v >>= 7 {
		s.byte(byte(v) | 0x80)
	}
	n := uint(host.Len64(v)+6) / 7
	v = v&0xfffffff | v>>28<<32 // 28 bits to each half, ...
	v = v&0x3fff_00003fff | v&0xfffc000_0fffc000<<2
	v = v&0x7f007f_007f007f | v&0x3f803f80_3f803f80<<1 // ... 7 to each byte
	store(s.at(), v|(1<<(8*n-8)-1)&0x80808080_80808080)
	s.n += int(n)
}

// at is where the next eight bytes go.
func (s *shard) at() *[8]byte { return (*[8]byte)(unsafe.Pointer(&s.buf.P()[uint16(s.n)])) }

func store(b *[8]byte, v uint64) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	b[4], b[5], b[6], b[7] = byte(v>>32), byte(v>>40), byte(v>>48), byte(v>>56)
}

func (s *shard) word(v uint64) {
	store(s.at(), v)
	s.n += 8
}

// signed writes a zigzag varint.
func (s *shard) signed(v uint64) { s.number(v<<1 ^ uint64(int64(v)>>63)) }
