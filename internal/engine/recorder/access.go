// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package recorder

import (
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/event"
)

// Accesses to memory are most of what is recorded, and most of them follow another step of their
// goroutine on the same processor. Then nothing has to be told but the position and the address.

// Access records an access to the byte at addr: Read or Write. An address is written as its
// distance from the last one in this buffer, which mostly is a short number.
func Access(k event.Kind, t *Thread, pos uint32, addr uint64) {
	if s := beginAccess(k, t, pos); s != nil {
		s.address(addr)
		s.lock.Unlock()
	}
}

// Range records accesses to size bytes: ReadRange or WriteRange.
func Range(k event.Kind, t *Thread, pos uint32, addr, size uint64) {
	if s := beginAccess(k, t, pos); s != nil {
		s.address(addr)
		s.number(size)
		s.lock.Unlock()
	}
}

// beginAccess is begin for an access. It begins the step by itself if the one before it in the
// buffer is the goroutine's, and nothing has happened since for which new numbers are needed.
func beginAccess(k event.Kind, t *Thread, pos uint32) *shard {
	i := host.Shard()
	s := &shards[i]
	s.lock.Lock()
	if s.n > bufSize-maxStep || s.steps == 0 || s.g != t.Number || s.end-s.next < 2 ||
		t.last != lastStep(epoch.Load(), i) || s.freed != frees.Load() || recording.Load() == 0 {
		return s.beginHeld(i, k, t, pos, 0)
	}
	s.next++
	s.after = s.next
	s.steps++
	by := pos - s.pos
	s.pos = pos
	// This is step, with no branch: the byte of the kind, and up to five of the position. What
	// is stored beyond them is written over.
	flags, n := uint64(0), uint(0)
	if by == 1 {
		flags = nextPos
	}
	v := zigzag(uint64(int64(int32(by - 1))))
	if by > 1 {
		flags, n = deltaPos, uint(host.Len64(v)+6)/7
	}
	more := spread(v) | (1<<(8*n-8)-1)&0x80808080_80808080
	store(s.at(), uint64(k)|flags|more<<8)
	s.n += 1 + int(n)
	return s
}

// address writes the address of an access.
func (s *shard) address(addr uint64) {
	v := zigzag(addr - s.addr)
	s.addr = addr
	if v >= 1<<56 {
		s.number(v)
		return
	}
	n := uint(host.Len64(v|1)+6) / 7
	store(s.at(), spread(v)|(1<<(8*n-8)-1)&0x80808080_80808080)
	s.n += int(n)
}
