// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package descriptor finds out what orders I/O: which reads come after which writes. Package
// syscall announces all I/O of a process at one address. Here each connection gets addresses of its
// own, so that requests of different clients order nothing.
//
// Input: what becomes of file descriptors (they are opened, identified, read, written, handed to a
// child process, closed), and what the kernel says they are ends of. Output: for each write the
// address to release, and for each read the address to acquire, if not that of all I/O.
//
// # Terms
//
//	end         of a channel: that at which its descriptors read and write
//	channel     a pair of ends: a connection, a pipe; or a file, which has one end only
//	name        what tells the end of a channel from all others: two addresses, or an inode
//	known       of a descriptor: it has been identified as that of an end
//	seen        of an end: the process has had a known descriptor of it
//	shared      of a channel: a child process may have one of its ends
//
// # What is ordered
//
// A write comes before each later read at the other end of its channel. A write of a file comes
// before each later read of it. Whatever was written anywhere comes before a read of which less is
// certain:
//
//   - by a descriptor that is not known: of a terminal, a datagram socket, a device, and so on
//   - from an end whose other end has not been seen: it may be that of another process
//   - from a channel that is shared: what comes back may depend on all that the child was told
//   - of a file, once there was a child process: it may have written the file
//   - of any kind, once descriptors have been sent to other processes
//
// So each write is released at the address of all I/O, too, by the caller.
//
// Who accepts a connection comes after who makes it. Who has made one comes after all who have
// listened so far, or, if nobody has listened there, after whatever was written anywhere.
//
// What is remembered of channels without open descriptors is limited. A connection that was
// forgotten has no end that was seen. Once a file was forgotten, reads of files come after all.
package descriptor
