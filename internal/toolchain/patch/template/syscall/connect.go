// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package syscall

import "unsafe"

// Connections order by themselves: who accepts one comes after who makes it, and who has made one
// comes after who listens. Who can't make one comes after who has listened and stopped.

//go:linkname commute_ioListening runtime.commute_ioListening
func commute_ioListening(place int, all unsafe.Pointer)

//go:linkname commute_ioRemoving runtime.commute_ioRemoving
func commute_ioRemoving(place int, all unsafe.Pointer)

//go:linkname commute_ioReached runtime.commute_ioReached
func commute_ioReached(place int, all unsafe.Pointer)

//go:linkname commute_ioDialing runtime.commute_ioDialing
//go:noescape
func commute_ioDialing(n *commuteName, all unsafe.Pointer) (dial uintptr)

//go:linkname commute_ioDialed runtime.commute_ioDialed
//go:noescape
func commute_ioDialed(dial uintptr, n *commuteName)

//go:linkname commute_ioAccepted runtime.commute_ioAccepted
//go:noescape
func commute_ioAccepted(n, peer *commuteName, all unsafe.Pointer)

// commutePlace says where somebody listens: at a port, or, from 1<<16 on, at a socket within the
// machine, of whose name there are 16 bits. It is -1 elsewhere.
func commutePlace(sa Sockaddr) int {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return sa.Port
	case *SockaddrInet6:
		return sa.Port
	case *SockaddrUnix:
		return commuteFilePlace(sa.Name)
	}
	return -1
}

// commuteFilePlace is the place of a socket within the machine.
func commuteFilePlace(name string) int {
	var h uint32
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 0x01000193
	}
	return 1<<16 + int(h>>16)
}

// commuteListening comes before a socket accepts connections, and before it stops.
func commuteListening(fd int) {
	place := -1
	if sa, err := Getsockname(fd); err == nil {
		place = commutePlace(sa)
	}
	commute_ioListening(place, unsafe.Pointer(&ioSync))
}

// commuteRemoving comes before a file is removed. If it is a socket, who can't connect finds out.
func commuteRemoving(path string) {
	commute_ioRemoving(commuteFilePlace(path), unsafe.Pointer(&ioSync))
}

// commuteEnding comes before a descriptor is closed: if it listens, who can't connect finds out.
func commuteEnding(fd int) {
	if on, err := GetsockoptInt(fd, SOL_SOCKET, SO_ACCEPTCONN); err == nil && on != 0 {
		commuteListening(fd)
	}
}

// commuteConnecting comes before a socket is connected.
func commuteConnecting(fd int, sa Sockaddr) (dial uintptr) {
	var n commuteName
	switch sa.(type) {
	case *SockaddrInet4, *SockaddrInet6:
	case *SockaddrUnix:
		if !commuteLocalDial(fd, &n) {
			return 0
		}
	default:
		return 0
	}
	return commute_ioDialing(&n, unsafe.Pointer(&ioSync))
}

// commuteConnected comes when the system call is done. The socket has its address then, though it
// may not be connected yet.
func commuteConnected(dial uintptr, fd int, sa Sockaddr, err error) {
	if dial != 0 {
		var own RawSockaddrAny
		var n commuteName
		size := _Socklen(SizeofSockaddrAny)
		if getsockname(fd, &own, &size) == nil {
			n = commuteName{kind: commuteDialer, own: commuteSockaddr(&own)}
		}
		commute_ioDialed(dial, &n)
	}
	switch err {
	case EINPROGRESS, EALREADY, EINTR:
	default:
		CommuteConnected(sa)
	}
}

// CommuteConnected comes when a socket is connected, or can't be: that nobody listens any more
// tells as much.
func CommuteConnected(sa Sockaddr) { commute_ioReached(commutePlace(sa), unsafe.Pointer(&ioSync)) }

// commuteAccepted comes when a connection was accepted.
func commuteAccepted(fd int, sa Sockaddr, err error) {
	if err != nil {
		return
	}
	var n, peer commuteName
	switch sa := sa.(type) {
	case *SockaddrInet4:
		peer = commuteName{kind: commuteDialer, own: commuteAddress{
			low: 0xffff<<32 | commuteBytes(sa.Addr[:]), port: commutePortOf(sa.Port)}}
	case *SockaddrInet6:
		peer = commuteName{kind: commuteDialer, own: commuteAddress{commuteBytes(sa.Addr[:8]),
			commuteBytes(sa.Addr[8:]), commutePortOf(sa.Port), sa.ZoneId}}
	case *SockaddrUnix:
		commuteLocalPeer(fd, &n, &peer)
	}
	commute_ioAccepted(&n, &peer, unsafe.Pointer(&ioSync))
}

// commutePortOf is a port as [commuteSockaddr] has it: in the order of the network.
func commutePortOf(port int) uint32 {
	b := [2]byte{byte(port >> 8), byte(port)}
	return uint32(*(*uint16)(unsafe.Pointer(&b)))
}
