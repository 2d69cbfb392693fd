// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

// Hooks of I/O, which packages syscall and internal/poll call. Each read and write says how it is
// ordered: by its connection, or with all I/O of the process. The address all stands for the
// latter.
//
// The first hook of a read or a write returns true if nothing is known of the descriptor. Then
// package syscall asks the kernel what it is, and calls the second one with the answer.

import "unsafe"

// commute_ioRead comes after a read.
//
//go:linkname commute_ioRead
func commute_ioRead(fd int, all unsafe.Pointer) (ask bool) {
	o := commute_instance_Descriptors.Read(fd)
	if !o.Ask {
		commute_ioAcquire(o, all)
	}
	return o.Ask
}

// commute_ioReadAs is commute_ioRead for a descriptor of which the kernel was asked. The name is
// nil if it may have another answer next time.
//
//go:linkname commute_ioReadAs
func commute_ioReadAs(fd int, all unsafe.Pointer, n *commute_descriptor_Name) {
	o := commute_descriptor_Order{All: true}
	if n != nil {
		c, side := commute_ioIdentify(fd, n)
		if c != nil {
			o = commute_instance_Descriptors.ReadFrom(c, side)
		} else {
			o.All = n.Kind != commute_descriptor_Constant
		}
	}
	commute_ioAcquire(o, all)
}

// commute_ioAcquire orders what was written before what follows a read. All that was written is
// released at the address all, too, so that one alone is enough there.
func commute_ioAcquire(o commute_descriptor_Order, all unsafe.Pointer) {
	switch {
	case o.All:
		commute_emit(getg(), all, commute_event_Acquire)
	case o.Addr != 0:
		commute_emit(getg(), unsafe.Pointer(o.Addr), commute_event_Acquire)
	}
}

// commute_ioWrite comes before a write, and before a descriptor is closed: the reader at the other
// end finds out.
//
//go:linkname commute_ioWrite
func commute_ioWrite(fd int, all unsafe.Pointer) (ask bool) {
	o := commute_instance_Descriptors.Write(fd)
	if !o.Ask {
		commute_ioRelease(o, all)
	}
	return o.Ask
}

// commute_ioWriteAs is commute_ioWrite for a descriptor of which the kernel was asked.
//
//go:linkname commute_ioWriteAs
func commute_ioWriteAs(fd int, all unsafe.Pointer, n *commute_descriptor_Name) {
	var o commute_descriptor_Order
	if n != nil {
		if c, side := commute_ioIdentify(fd, n); c != nil {
			o = commute_descriptor_WriteTo(c, side)
		}
	}
	commute_ioRelease(o, all)
}

// commute_ioRelease orders what came before a write before later reads.
func commute_ioRelease(o commute_descriptor_Order, all unsafe.Pointer) {
	commute_emit(getg(), all, commute_event_ReleaseMerge)
	if o.Addr != 0 {
		commute_emit(getg(), unsafe.Pointer(o.Addr), commute_event_ReleaseMerge)
	}
}

// commute_ioIdentify tells the table what a descriptor is.
func commute_ioIdentify(fd int, n *commute_descriptor_Name) (c *commute_descriptor_Channel,
	side int) {
	mp := acquirem()
	c, side, forgotten := commute_instance_Descriptors.Identify(fd, n)
	commute_ioForget(forgotten)
	releasem(mp)
	return c, side
}

// commute_ioForget forgets what is known of a channel's addresses. Preemption is disabled.
func commute_ioForget(c *commute_descriptor_Channel) {
	if c != nil {
		commute_free(c.Memory())
		commute_descriptor_Drop(c)
	}
}

// commute_ioOpen comes when package internal/poll takes a descriptor over.
//
//go:linkname commute_ioOpen
func commute_ioOpen(fd int) {
	mp := acquirem()
	commute_ioForget(commute_instance_Descriptors.Open(fd))
	releasem(mp)
}

// commute_ioClose comes before the system call that closes a descriptor. If nothing is known of it,
// it returns true: the caller may ask the kernel, and announce that it is closed.
//
//go:linkname commute_ioClose
func commute_ioClose(fd int) (ask bool) {
	if commute_instance_Descriptors.Foreign(fd) {
		return true
	}
	mp := acquirem()
	commute_ioForget(commute_instance_Descriptors.Close(fd))
	releasem(mp)
	return false
}

// commute_ioFree comes before the number of a descriptor is given back to the kernel, and
// commute_ioGot when the kernel has given it away.
//
//go:linkname commute_ioFree
func commute_ioFree(fd int) {
	addr := unsafe.Pointer(commute_instance_Descriptors.Numbers.Address(fd))
	commute_emit(getg(), addr, commute_event_ReleaseMerge)
}

//go:linkname commute_ioGot
func commute_ioGot(fd int) {
	addr := unsafe.Pointer(commute_instance_Descriptors.Numbers.Address(fd))
	commute_emit(getg(), addr, commute_event_Acquire)
}

// commute_ioReplaced comes when a descriptor has become the copy of another one.
//
//go:linkname commute_ioReplaced
func commute_ioReplaced(fd int) {
	if !commute_instance_Descriptors.Foreign(fd) {
		commute_ioOpen(fd)
	}
}

// commute_ioMade comes when the process has made a pipe or a pair of sockets.
//
//go:linkname commute_ioMade
func commute_ioMade(one, other *commute_descriptor_Name) {
	mp := acquirem()
	commute_ioForget(commute_instance_Descriptors.Made(one, other))
	releasem(mp)
}

// commute_ioShare comes before a child process is started that gets a descriptor. Its result is as
// that of commute_ioRead.
//
//go:linkname commute_ioShare
func commute_ioShare(fd int) (ask bool) {
	c, ask := commute_instance_Descriptors.Of(fd)
	if c != nil {
		c.Share()
	}
	return ask
}

// commute_ioShareAs is commute_ioShare for a descriptor of which the kernel was asked.
//
//go:linkname commute_ioShareAs
func commute_ioShareAs(fd int, n *commute_descriptor_Name) {
	if c, _ := commute_ioIdentify(fd, n); c != nil {
		c.Share()
	}
}

// commute_ioChild comes before a child process is started.
//
//go:linkname commute_ioChild
func commute_ioChild() { commute_instance_Descriptors.Child() }

// commute_ioLeak comes before descriptors may be sent to another process.
//
//go:linkname commute_ioLeak
func commute_ioLeak() { commute_instance_Descriptors.Leak() }
