// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package commrace

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/host"
)

// What a call will look at is asked for ahead. Touches and actions are mostly in no near cache:
// there are many keys, or another processor has written them.

// fetchTouches has the latest touches of a call's key fetched while the call is under way. The part
// that has them is locked.
func fetchTouches(h held, c *Call) {
	lists := listsFor(h, c)
	if lists == nil {
		return
	}
	for i := range h.Table().keyed {
		host.Prefetch(uintptr(unsafe.Pointer(listAt(lists, i).head.P())))
	}
}

// fetchActions has the actions of these touches fetched, all at once, and the touches after them.
func fetchActions(h held, c *Call) {
	lists := listsFor(h, c)
	if lists == nil {
		return
	}
	for i := range h.Table().keyed {
		if e := listAt(lists, i).head.P(); e != nil {
			host.Prefetch(uintptr(unsafe.Pointer(e.next.P())))
			e.act.P().fetch()
			host.Prefetch(uintptr(unsafe.Pointer(&e.act.P().inherited)))
		}
	}
}

// listsFor is the lists of a call's key, nil if there are none.
func listsFor(h held, c *Call) unsafe.Pointer {
	if h.Table().Methods[c.Method].nkeys == 0 {
		return nil
	}
	return h.home(c.Keys[0]).known(c.Keys[0])
}

// fetch has the two lines fetched that change where a call takes the action over.
func (a *Action) fetch() {
	host.Prefetch(uintptr(unsafe.Pointer(a)))
	host.Prefetch(uintptr(unsafe.Pointer(&a.snapshot)))
}
