// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
)

const (
	chunkBits = 8
	chunkSize = 1 << chunkBits
	maxChunks = 1 << 12 // descriptors from 1<<20 on are not known
	buckets   = 1 << 10
	maxIdle   = 4096 // channels without open descriptors that are remembered
)

// States of a descriptor.
const (
	foreign  = iota // it doesn't belong to package internal/poll, so what it is may change
	fresh           // nobody has asked the kernel yet
	unknown         // it is not that of an end
	constant        // it gives back nothing that was written
	known           // it has a channel; the side is added
)

// A Table has the descriptors of a process. The zero Table is ready for use.
type Table struct {
	chunks   [maxChunks]offheap.AtomicRef[[chunkSize]entry]
	children atomic.Uint32 // 1 once there was a child process
	leaked   atomic.Uint32 // 1 once descriptors may have been sent to other processes
	dropped  atomic.Uint32 // 1 once a file was forgotten

	dials   dials
	Numbers Numbers

	lock  offheap.Lock
	names [buckets]offheap.Ref[node]
	idle  idleChannels // those that are no files'
	files idleChannels
}

// An idleChannels is a list of channels without open descriptors. A program may make very many
// connections; so files have a list of their own, as a forgotten file is worse.
type idleChannels struct {
	oldest, newest offheap.Ref[Channel]
	n              int
}

// An entry is a descriptor. Who uses a descriptor keeps it from being closed meanwhile; so its
// channel changes only while nobody reads or writes.
type entry struct {
	channel offheap.AtomicRef[Channel]
	state   atomic.Uint32
}

// An Order says what a read acquires, or what a write releases besides the address of all I/O.
type Order struct {
	Addr uintptr // of the channel, 0 if there is none
	All  bool    // the address of all I/O is acquired
	// Ask says that nothing is known of the descriptor: the caller may ask the kernel, and try
	// again.
	Ask bool
}

// entry is that of a descriptor, nil if there is none.
func (t *Table) entry(fd int) *entry {
	if uint(fd) >= maxChunks<<chunkBits {
		return nil
	}
	c := t.chunks[fd>>chunkBits].Load()
	if c == nil {
		return nil
	}
	return &c[fd&(chunkSize-1)]
}

// makeEntry is entry, but makes one; the lock is held.
func (t *Table) makeEntry(fd int) *entry {
	if e := t.entry(fd); e != nil || uint(fd) >= maxChunks<<chunkBits {
		return e
	}
	c := (*[chunkSize]entry)(host.Alloc(unsafe.Sizeof([chunkSize]entry{})))
	t.chunks[fd>>chunkBits].Store(c)
	return &c[fd&(chunkSize-1)]
}

// find is the end of a name, nil if there is none; the lock is held.
func (t *Table) find(n *Name) *node {
	for at := t.names[n.hash()%buckets].P(); at != nil; at = at.next.P() {
		if at.name == *n {
			return at
		}
	}
	return nil
}

// add gives a name to an end of c; the lock is held.
func (t *Table) add(c *Channel, side int, n *Name) *node {
	at := &c.names[side]
	at.name = *n
	b := &t.names[n.hash()%buckets]
	at.next = *b
	*b = offheap.To(at)
	return at
}

// remove takes the name of an end from its list; the lock is held.
func (t *Table) remove(at *node) {
	if at.name.Kind == 0 {
		return
	}
	for b := &t.names[at.name.hash()%buckets]; !b.Nil(); b = &b.P().next {
		if b.P() == at {
			*b = at.next
			break
		}
	}
	at.name = Name{}
}

// join makes a channel whose first end has a name. It is idle. The lock is held.
func (t *Table) join(n *Name) *node {
	c := newChannel()
	at := t.add(c, 0, n)
	if n.Kind == Stream {
		other := n.reversed()
		t.add(c, 1, &other)
	}
	t.rest(c)
	return at
}

// renew takes a name from the end that had it: its inode is used again. The lock is held.
func (t *Table) renew(n *Name) {
	if at := t.find(n); at != nil {
		t.remove(at)
	}
}

// list is the list of idle ones that the channel belongs to.
func (c *Channel) list(t *Table) *idleChannels {
	if c.file {
		return &t.files
	}
	return &t.idle
}

// rest puts a channel at the end of the list of idle ones; the lock is held.
func (t *Table) rest(c *Channel) {
	c.idle, c.file = true, c.isFile()
	l := c.list(t)
	c.older, c.newer = l.newest, offheap.Ref[Channel]{}
	if l.newest.Nil() {
		l.oldest = offheap.To(c)
	} else {
		l.newest.P().newer = offheap.To(c)
	}
	l.newest = offheap.To(c)
	l.n++
}

// wake takes a channel from that list; the lock is held.
func (t *Table) wake(c *Channel) {
	if !c.idle {
		return
	}
	c.idle = false
	l := c.list(t)
	if c.older.Nil() {
		l.oldest = c.newer
	} else {
		c.older.P().newer = c.newer
	}
	if c.newer.Nil() {
		l.newest = c.older
	} else {
		c.newer.P().older = c.older
	}
	l.n--
}

// forget takes the oldest idle channel of a list out of the table if there are too many; the lock
// is held. The caller gets it back to [Drop].
func (t *Table) forget() *Channel {
	c := t.idle.oldest.P()
	switch {
	case t.files.n > maxIdle:
		c = t.files.oldest.P()
		t.dropped.Store(1)
	case t.idle.n <= maxIdle:
		return nil
	}
	t.wake(c)
	for side := range c.names {
		t.remove(&c.names[side])
	}
	return c
}

// Drop gives back a channel that was forgotten, when nothing is known of its addresses any more.
func Drop(c *Channel) { channels.Put(c) }
