// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package syscall

import "unsafe"

// Connections order by themselves: who accepts one comes after who makes it, and who has made one
// comes after who listens.

//go:linkname commute_ioListening runtime.commute_ioListening
func commute_ioListening(port int, all unsafe.Pointer)

//go:linkname commute_ioReached runtime.commute_ioReached
func commute_ioReached(port int, all unsafe.Pointer)

//go:linkname commute_ioDialing runtime.commute_ioDialing
//go:noescape
func commute_ioDialing(n *commuteName, all unsafe.Pointer) (dial uintptr)

//go:linkname commute_ioDialed runtime.commute_ioDialed
//go:noescape
func commute_ioDialed(dial uintptr, n *commuteName)

//go:linkname commute_ioAccepted runtime.commute_ioAccepted
//go:noescape
func commute_ioAccepted(n, peer *commuteName, all unsafe.Pointer)

// commutePort is the port of an address, -1 if it is none of the internet's.
func commutePort(sa Sockaddr) int {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return sa.Port
	case *SockaddrInet6:
		return sa.Port
	}
	return -1
}

// commuteListening comes before a socket accepts connections.
func commuteListening(fd int) {
	port := -1
	if sa, err := Getsockname(fd); err == nil {
		port = commutePort(sa)
	}
	commute_ioListening(port, unsafe.Pointer(&ioSync))
}

// commuteConnecting comes before a socket is connected.
func commuteConnecting(fd int, sa Sockaddr) (dial uintptr) {
	var n commuteName
	if !commuteLocalDial(fd, sa, &n) && commutePort(sa) <= 0 {
		return 0
	}
	return commute_ioDialing(&n, unsafe.Pointer(&ioSync))
}

// commuteConnected comes when the system call is done. The socket has its address then, though it
// may not be connected yet.
func commuteConnected(dial uintptr, fd int, sa Sockaddr, err error) {
	if dial != 0 && commutePort(sa) > 0 {
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
		CommuteConnected(sa, err)
	}
}

// CommuteConnected comes when a socket is connected, or can't be.
func CommuteConnected(sa Sockaddr, err error) {
	if err != nil {
		CommuteLearn()
		return
	}
	commute_ioReached(commutePort(sa), unsafe.Pointer(&ioSync))
}

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
