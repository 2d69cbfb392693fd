// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import (
	"sync/atomic"
	"unsafe"
)

// A dials is what the table knows of connections that are being made.
//
// The socket of a connection of TCP gets its address by the system call that connects it. Before
// that a channel for the dial alone is released; after it the channel gets a name, by which who
// accepts the connection finds it. Who is faster comes after all dials so far.
type dials struct {
	clock   uint64 // all dials are released at its address
	pending atomic.Int32

	listening uint64                 // what comes before somebody listens or stops
	places    [1 << 12]atomic.Uint32 // a bit for each place at which somebody has listened
}

// maxPlaces is the number of places: ports, and hashes of the names of sockets within the machine.
const maxPlaces = 1 << 17

// Pending is the address at which all dials are released.
func (t *Table) Pending() uintptr { return uintptr(unsafe.Pointer(&t.dials.clock)) }

// Listening notes that the process is going to listen at a place, or to stop. What comes before is
// released at the address.
func (t *Table) Listening(place int) (addr uintptr) {
	if uint(place) < maxPlaces {
		t.lock.Lock()
		bits := &t.dials.places[place/32]
		bits.Store(bits.Load() | 1<<(place%32))
		t.lock.Unlock()
	}
	return t.dials.announced()
}

// Removing notes that the file of a place is going to be removed. If somebody has listened there,
// what comes before is released at the address: who can't connect finds out. Else it is 0.
func (t *Table) Removing(place int) (addr uintptr) {
	if !t.dials.listened(place) {
		return 0
	}
	return t.dials.announced()
}

// listened reports whether somebody has listened at a place.
func (d *dials) listened(place int) bool {
	return uint(place) < maxPlaces && d.places[place/32].Load()>>(place%32)&1 != 0
}

func (d *dials) announced() uintptr { return uintptr(unsafe.Pointer(&d.listening)) }

// Reached is the order of a connection that was made, or can't be. Who listens may be another
// process.
func (t *Table) Reached(place int) Order {
	return Order{Addr: t.dials.announced(), All: !t.dials.listened(place)}
}

// Connecting notes that a socket within the machine connects itself to another. Who accepts the
// connection is its other end. What comes before is released where the first end is.
func (t *Table) Connecting(n *Name) (c, forgotten *Channel) {
	t.lock.Lock()
	t.renew(n)
	c = t.join(n).channel.P()
	forgotten = t.forget()
	t.lock.Unlock()
	return c, forgotten
}

// Dialing notes that a socket of TCP connects itself. What comes before is released where the
// channel's first end is.
func (t *Table) Dialing() *Channel {
	t.lock.Lock()
	c := newChannel()
	c.open[0] = 1
	t.dials.pending.Add(1)
	t.lock.Unlock()
	return c
}

// Dialed gives the channel of Dialing a name. A zero name says that the socket has got none.
func (t *Table) Dialed(c *Channel, n *Name) (forgotten *Channel) {
	t.lock.Lock()
	c.open[0] = 0
	if n.Kind == 0 {
		forgotten = c
	} else {
		t.renew(n)
		t.add(c, 0, n)
		t.rest(c)
		forgotten = t.forget()
	}
	t.dials.pending.Add(-1)
	t.lock.Unlock()
	return forgotten
}

// Accepted is the order of a connection that was accepted. Within the machine n is its end, and
// peer the other one; if that is not known it is another process's. Of TCP there is no n, and peer
// is who dialed: the caller gets the channel of that back to [Drop].
func (t *Table) Accepted(n, peer *Name) (o Order, dial *Channel) {
	t.lock.Lock()
	at := t.find(peer)
	switch {
	case peer.Kind == 0:
		o.All = true
	case peer.Kind != Dialer:
		t.renew(n)
		if at == nil || at.side != 0 || at.channel.P().names[1].name.Kind != 0 {
			o.All = true
			break
		}
		t.add(at.channel.P(), 1, n)
		o.Addr = at.channel.P().written(0)
	case at != nil:
		dial = at.channel.P()
		o.Addr = dial.written(0)
		if t.dials.pending.Load() != 0 {
			o.Addr = t.Pending() // the name may be left of a socket that had the address before
		}
		t.wake(dial)
		t.remove(at)
	case t.dials.pending.Load() != 0:
		o.Addr = t.Pending()
	default: // it may be a child process
		o.All = t.children.Load()|t.leaked.Load() != 0
	}
	t.lock.Unlock()
	return o, dial
}
