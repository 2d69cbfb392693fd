// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package syscall

import "unsafe"

//go:linkname commute_ioMade runtime.commute_ioMade
//go:noescape
func commute_ioMade(one, other *commuteName)

// commuteSpecial names what Linux tells apart by inodes: pipes and sockets within the machine. Of
// devices, these give back nothing that was written: null, zero, full, random and urandom.
func commuteSpecial(fd int, st *Stat_t, n *commuteName) {
	switch st.Mode & S_IFMT {
	case S_IFSOCK:
		*n = commuteInode(commuteLocal, st)
	case S_IFIFO:
		switch flags, err := fcntl(fd, F_GETFL, 0); {
		case err != nil:
		case flags&O_ACCMODE == O_RDONLY:
			*n = commuteInode(commuteReader, st)
		case flags&O_ACCMODE == O_WRONLY:
			*n = commuteInode(commuteWriter, st)
		}
	case S_IFCHR:
		switch st.Rdev {
		case 1<<8 | 3, 1<<8 | 5, 1<<8 | 7, 1<<8 | 8, 1<<8 | 9:
			n.kind = commuteConstant
		case 10<<8 | 229: // the program serves a file system, and so files have other ends
			commute_ioLeak()
		}
	}
}

// commutePiped comes when a pipe was made.
func commutePiped(p []int, err error) {
	CommuteGot(p[0], err)
	CommuteGot(p[1], err)
	var st Stat_t
	if err == nil && Fstat(p[0], &st) == nil {
		reader, writer := commuteInode(commuteReader, &st), commuteInode(commuteWriter, &st)
		commute_ioMade(&reader, &writer)
	}
}

// commutePaired comes when a pair of sockets was made.
func commutePaired(fd [2]int, err error) {
	CommuteGot(fd[0], err)
	CommuteGot(fd[1], err)
	var one, other Stat_t
	if err == nil && Fstat(fd[0], &one) == nil && Fstat(fd[1], &other) == nil {
		a, b := commuteInode(commuteLocal, &one), commuteInode(commuteLocal, &other)
		commute_ioMade(&a, &b)
	}
}

// commuteLocalDial names a socket that is going to be connected within the machine.
func commuteLocalDial(fd int, n *commuteName) bool {
	var st Stat_t
	if Fstat(fd, &st) != nil {
		return false
	}
	*n = commuteInode(commuteLocal, &st)
	return true
}

// commuteLocalPeer names a socket within the machine that was accepted, and that at the other end.
func commuteLocalPeer(fd int, n, peer *commuteName) {
	var st Stat_t
	if Fstat(fd, &st) != nil {
		return
	}
	if inode := commutePeer(uint32(st.Ino)); inode != 0 {
		*n, *peer = commuteInode(commuteLocal, &st), commuteInode(commuteLocal, &st)
		peer.own.low = uint64(inode)
	}
}

// What the kernel is asked of a socket within the machine, and what it answers: see sock_diag(7).
type (
	commuteDiagRequest struct {
		header                NlMsghdr
		family, protocol      uint8
		_                     uint16
		states, inode, show   uint32
		cookieLow, cookieHigh uint32
	}
	commuteDiagAnswer struct {
		header      NlMsghdr
		family, typ uint8
		state       uint8
		_           uint8
		inode       uint32
		_, _        uint32
		attrs       [16]struct{ head, value uint32 }
	}
)

// commutePeer is the inode of the socket that one is connected to, 0 if the kernel doesn't tell.
func commutePeer(inode uint32) uint32 {
	const (
		sockDiag, byFamily  = 4, 20 // NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY
		showPeer, attrPeer  = 4, 2  // UDIAG_SHOW_PEER, UNIX_DIAG_PEER
		anyCookie, anyState = 1<<32 - 1, 1<<32 - 1
	)
	fd, err := Socket(AF_NETLINK, SOCK_RAW|SOCK_CLOEXEC, sockDiag)
	if err != nil {
		return 0
	}
	defer Syscall(SYS_CLOSE, uintptr(fd), 0, 0)
	q := commuteDiagRequest{family: AF_UNIX, states: anyState, inode: inode, show: showPeer,
		cookieLow: anyCookie, cookieHigh: anyCookie}
	q.header = NlMsghdr{Len: uint32(unsafe.Sizeof(q)), Type: byFamily, Flags: NLM_F_REQUEST}
	to := RawSockaddrNetlink{Family: AF_NETLINK}
	if sendto(fd, unsafe.Slice((*byte)(unsafe.Pointer(&q)), unsafe.Sizeof(q)), 0,
		unsafe.Pointer(&to), _Socklen(unsafe.Sizeof(to))) != nil {
		return 0
	}
	var a commuteDiagAnswer
	b := unsafe.Slice((*byte)(unsafe.Pointer(&a)), unsafe.Sizeof(a))
	var from RawSockaddrAny
	size := _Socklen(SizeofSockaddrAny)
	n, err := recvfrom(fd, b, MSG_DONTWAIT, &from, &size)
	attr := (*RtAttr)(unsafe.Pointer(&a.attrs[0]))
	if err != nil || n < int(unsafe.Offsetof(a.attrs)+unsafe.Sizeof(a.attrs[0])) ||
		a.header.Type != byFamily || a.inode != inode || attr.Type != attrPeer {
		return 0
	}
	return a.attrs[0].value
}
