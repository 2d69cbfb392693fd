// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

//go:build commute_patch

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// Leaked goroutines are those that can never go on. A collection of the garbage finds them, by the
// runtime's own search (goroutineLeakGC): it marks what the others reach, global variables, timers
// and finalizers included. A goroutine is leaked if it waits for channels, a lock, a Cond or a
// WaitGroup that were not marked, for who waits there is woken through these alone. Who waits for
// time, input or the system counts as one that can go on.

// commute_hideElements comes when the search begins; the runtime has it undone in the end. Where a
// goroutine sends a variable of its closure, what waits for the channel would lead to the variable,
// so to the closure, and so to the channel. The goroutine's stack leads there, too, as the runtime
// doesn't go by what waits for a channel. It does so of what is sent, and of what a select may
// receive. Of what another receive gets it need not: the variable may be needed no more, and yet
// is written to. So that stays as it is. The world is stopped.
func commute_hideElements() {
	forEachGRace(func(gp *g) {
		if gp.waitreason != waitReasonChanSend && gp.waitreason != waitReasonSelect {
			return
		}
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			sg.elem.setUntraceable()
		}
	})
}

// commute_keepWeak comes when a collection has found an object that weak pointers lead to. A search
// for leaked goroutines marks it: who has a weak pointer may ask for the object after the search.
// A goroutine that waits for something of the object refers to it, and so it would be there.
func commute_keepWeak(s *mspan, weak *specialWeakHandle, gcw *gcWork) {
	if !work.goroutineLeak.enabled {
		return
	}
	object := s.base() + weak.special.offset/s.elemsize*s.elemsize
	scanblock(uintptr(unsafe.Pointer(&object)), goarch.PtrSize, &oneptrmask[0], gcw, nil)
}
