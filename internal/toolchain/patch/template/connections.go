// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Hooks of connections: who accepts one comes after who makes it, and who has made one comes after
// who listens.

import "unsafe"

// commute_ioListening comes before a socket accepts connections at a place, and before it stops.
//
//go:linkname commute_ioListening
func commute_ioListening(place int, all unsafe.Pointer) {
	addr := commute_instance_Descriptors.Listening(place)
	commute_ioRelease(commute_descriptor_Order{Addr: addr}, all)
}

// commute_ioRemoving comes before a file is removed, which may be a socket at that place.
//
//go:linkname commute_ioRemoving
func commute_ioRemoving(place int, all unsafe.Pointer) {
	if addr := commute_instance_Descriptors.Removing(place); addr != 0 {
		commute_ioRelease(commute_descriptor_Order{Addr: addr}, all)
	}
}

// commute_ioReached comes when a connection was made, or can't be.
//
//go:linkname commute_ioReached
func commute_ioReached(place int, all unsafe.Pointer) {
	commute_ioAcquire(commute_instance_Descriptors.Reached(place), all)
}

// commute_ioDialing comes before a socket is connected, and commute_ioDialed when it has got a
// name. The name is known before if the connection is within the machine.
//
//go:linkname commute_ioDialing
func commute_ioDialing(n *commute_descriptor_Name, all unsafe.Pointer) (dial uintptr) {
	mp := acquirem()
	var c, forgotten *commute_descriptor_Channel
	if n.Kind == 0 {
		c = commute_instance_Descriptors.Dialing()
		dial = uintptr(unsafe.Pointer(c))
	} else {
		c, forgotten = commute_instance_Descriptors.Connecting(n)
	}
	commute_ioForget(forgotten)
	addr, _ := c.Memory()
	releasem(mp)
	commute_ioRelease(commute_descriptor_Order{Addr: addr}, all)
	if n.Kind == 0 {
		pending := commute_instance_Descriptors.Pending()
		commute_emit(getg(), unsafe.Pointer(pending), commute_event_ReleaseMerge)
	}
	return dial
}

//go:linkname commute_ioDialed
func commute_ioDialed(dial uintptr, n *commute_descriptor_Name) {
	mp := acquirem()
	c := (*commute_descriptor_Channel)(unsafe.Pointer(dial))
	commute_ioForget(commute_instance_Descriptors.Dialed(c, n))
	releasem(mp)
}

// commute_ioAccepted comes when a socket has accepted a connection. Its own name is that of an end
// only within the machine.
//
//go:linkname commute_ioAccepted
func commute_ioAccepted(n, peer *commute_descriptor_Name, all unsafe.Pointer) {
	mp := acquirem()
	o, dial := commute_instance_Descriptors.Accepted(n, peer)
	releasem(mp)
	commute_ioAcquire(o, all)
	mp = acquirem()
	commute_ioForget(dial)
	releasem(mp)
}
