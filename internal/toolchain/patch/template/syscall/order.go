// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

// Package syscall is templates: files that join Go's own package syscall. They announce I/O to the
// engine by descriptor, and ask the kernel what a descriptor is where the engine doesn't know.
package syscall

import "unsafe"

// The types and constants of the engine's package descriptor.
type (
	commuteName struct {
		kind       uint32
		own, other commuteAddress
	}
	commuteAddress struct {
		high, low  uint64
		port, zone uint32
	}
)

const (
	commuteStream = 1 + iota
	commuteReader
	commuteWriter
	commuteLocal
	commuteFile
	commuteConstant
	commuteDialer
)

//go:linkname commute_ioRead runtime.commute_ioRead
//go:noescape
func commute_ioRead(fd int, all unsafe.Pointer) (ask bool)

//go:linkname commute_ioReadAs runtime.commute_ioReadAs
//go:noescape
func commute_ioReadAs(fd int, all unsafe.Pointer, n *commuteName)

//go:linkname commute_ioWrite runtime.commute_ioWrite
//go:noescape
func commute_ioWrite(fd int, all unsafe.Pointer) (ask bool)

//go:linkname commute_ioWriteAs runtime.commute_ioWriteAs
//go:noescape
func commute_ioWriteAs(fd int, all unsafe.Pointer, n *commuteName)

//go:linkname commute_ioShare runtime.commute_ioShare
func commute_ioShare(fd int) (ask bool)

//go:linkname commute_ioShareAs runtime.commute_ioShareAs
//go:noescape
func commute_ioShareAs(fd int, n *commuteName)

//go:linkname commute_ioChild runtime.commute_ioChild
func commute_ioChild()

//go:linkname commute_ioLeak runtime.commute_ioLeak
func commute_ioLeak()

//go:linkname commute_ioClose runtime.commute_ioClose
func commute_ioClose(fd int) (ask bool)

//go:linkname commute_ioReplaced runtime.commute_ioReplaced
func commute_ioReplaced(fd int)

//go:linkname commute_ioOpen runtime.commute_ioOpen
func commute_ioOpen(fd int)

//go:linkname commute_ioFree runtime.commute_ioFree
func commute_ioFree(fd int)

//go:linkname commute_ioGot runtime.commute_ioGot
func commute_ioGot(fd int)

// CommuteRead comes after a read.
func CommuteRead(fd int) {
	if commute_ioRead(fd, unsafe.Pointer(&ioSync)) {
		commuteReadAs(fd, unsafe.Pointer(&ioSync))
	}
}

// CommuteWrite comes before a write.
func CommuteWrite(fd int) {
	if commute_ioWrite(fd, unsafe.Pointer(&ioSync)) {
		commuteWriteAs(fd, unsafe.Pointer(&ioSync))
	}
}

// CommuteClosing comes before a descriptor is closed, or half of a connection is. If nobody has
// asked what the descriptor is, none of its writes or reads was announced. Then the other end comes
// after all that was written anyway.
func CommuteClosing(fd int) {
	if commute_ioWrite(fd, unsafe.Pointer(&ioSync)) {
		commuteEnding(fd)
		commute_ioWriteAs(fd, unsafe.Pointer(&ioSync), nil)
	}
}

// CommuteFailed comes after a read or a write that failed: an error, too, tells that the other end
// was closed.
func CommuteFailed(fd int, err error) {
	if err != nil && err != EAGAIN && err != EINTR {
		CommuteRead(fd)
	}
}

// CommuteClose comes before the system call that closes a descriptor.
func CommuteClose(fd int) {
	if commute_ioClose(fd) {
		commuteEnding(fd)
		commuteWriteAs(fd, unsafe.Pointer(&ioSync))
		commute_ioFree(fd)
	}
}

// CommuteGot comes when the process has got a descriptor: after its number was free.
func CommuteGot(fd int, err error) {
	if err == nil {
		commute_ioGot(fd)
	}
}

// CommuteGotTwo comes when the process has got the two ends of something, or has failed to: then
// they are what they were, which is mostly two zeros.
func CommuteGotTwo(p []int) {
	if len(p) == 2 && p[0] != p[1] {
		commute_ioGot(p[0])
		commute_ioGot(p[1])
	}
}

// CommuteControlled comes after a call of fcntl, which may have made a copy of a descriptor.
func CommuteControlled(command, result int, err error) {
	if command == F_DUPFD || command == F_DUPFD_CLOEXEC {
		CommuteGot(result, err)
	}
}

// commuteOwn comes when the library has made a pipe for itself, or has failed to. That it closes
// the pipe orders nothing.
func commuteOwn(p []int) {
	if p[0] != p[1] {
		commute_ioOpen(p[0])
		commute_ioOpen(p[1])
	}
}

// CommuteReplacing comes before a descriptor becomes the copy of another one, and what it returns
// comes after that.
func CommuteReplacing(fd int) func() {
	CommuteClosing(fd)
	return func() { commute_ioReplaced(fd) }
}

// CommuteTell comes before what tells a process something, but is no write: a signal, or that it is
// started. CommuteLearn comes after a process has learned something otherwise than by a read.
func CommuteTell()  { commute_ioWriteAs(-1, unsafe.Pointer(&ioSync), nil) }
func CommuteLearn() { commute_ioReadAs(-1, unsafe.Pointer(&ioSync), nil) }

// CommuteReceived comes after messages were received, and CommuteSending before one is sent. The
// library announces neither.
func CommuteReceived(fd int, err error) {
	if err == nil {
		CommuteRead(fd)
	} else {
		CommuteFailed(fd, err)
	}
}

func CommuteSending(fd int, oob []byte) {
	CommuteWrite(fd)
	if len(oob) >= SizeofCmsghdr && (*Cmsghdr)(unsafe.Pointer(&oob[0])).Level == SOL_SOCKET {
		commute_ioLeak() // it may hold descriptors
	}
}

func commuteReadAs(fd int, all unsafe.Pointer) {
	var n commuteName
	if commuteAsk(fd, &n) {
		commute_ioReadAs(fd, all, &n)
	} else {
		commute_ioReadAs(fd, all, nil)
	}
}

func commuteWriteAs(fd int, all unsafe.Pointer) {
	var n commuteName
	if commuteAsk(fd, &n) {
		commute_ioWriteAs(fd, all, &n)
	} else {
		commute_ioWriteAs(fd, all, nil)
	}
}

// commuteForking comes before a child process is started. It gets the descriptors in attr.
func commuteForking(attr *ProcAttr) {
	commute_ioChild()
	CommuteTell()
	if attr == nil {
		return
	}
	for _, fd := range attr.Files {
		var n commuteName
		if commute_ioShare(int(fd)) && commuteAsk(int(fd), &n) {
			commute_ioShareAs(int(fd), &n)
		}
	}
}

// commuteAsk asks the kernel what a descriptor is. It returns false if the answer may be another
// one next time. If child processes inherit the descriptor its channel is shared.
func commuteAsk(fd int, n *commuteName) bool {
	var st Stat_t
	if Fstat(fd, &st) != nil {
		return false
	}
	flags, err := fcntl(fd, F_GETFD, 0)
	if err != nil {
		return false
	}
	ok := true
	switch st.Mode & S_IFMT {
	case S_IFREG:
		*n = commuteInode(commuteFile, &st)
	case S_IFSOCK:
		ok = commuteSocket(fd, &st, n)
	default:
		commuteSpecial(fd, &st, n)
	}
	if ok && flags&FD_CLOEXEC == 0 {
		commute_ioShareAs(fd, n)
	}
	return ok
}

// commuteInode is the name of what has an inode.
func commuteInode(kind uint32, st *Stat_t) commuteName {
	return commuteName{kind: kind,
		own: commuteAddress{high: uint64(st.Dev), low: uint64(st.Ino)}}
}

// commuteSocket names a socket. One that isn't connected may be so next time.
func commuteSocket(fd int, st *Stat_t, n *commuteName) bool {
	var own, other RawSockaddrAny
	size := _Socklen(SizeofSockaddrAny)
	if getsockname(fd, &own, &size) != nil {
		return false
	}
	switch own.Addr.Family {
	case AF_UNIX:
		commuteSpecial(fd, st, n)
	case AF_INET, AF_INET6:
		typ, err := GetsockoptInt(fd, SOL_SOCKET, SO_TYPE)
		if err != nil {
			return false
		}
		if typ != SOCK_STREAM {
			return true
		}
		size = _Socklen(SizeofSockaddrAny)
		if getpeername(fd, &other, &size) != nil {
			return false
		}
		*n = commuteName{commuteStream, commuteSockaddr(&own), commuteSockaddr(&other)}
	}
	return true
}

// commuteSockaddr is the address of a socket of TCP.
func commuteSockaddr(a *RawSockaddrAny) commuteAddress {
	if a.Addr.Family == AF_INET {
		in := (*RawSockaddrInet4)(unsafe.Pointer(a))
		return commuteAddress{low: 0xffff<<32 | commuteBytes(in.Addr[:]), port: uint32(in.Port)}
	}
	in := (*RawSockaddrInet6)(unsafe.Pointer(a))
	return commuteAddress{commuteBytes(in.Addr[:8]), commuteBytes(in.Addr[8:]), uint32(in.Port),
		in.Scope_id}
}

func commuteBytes(b []byte) (x uint64) {
	for _, c := range b {
		x = x<<8 | uint64(c)
	}
	return x
}
