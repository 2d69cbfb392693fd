// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// Clients of a server often share a Transport of net/http. Of two requests at once, the second one
// has a connection of its own if that is made before the first one is done. Otherwise it takes that
// of the first, and the server's goroutine for it serves both, one after the other. Which of the
// two happens is chance, and in the second nothing can interfere. So a goroutine that is about to
// give a connection back lets those that dial go first.

var dials = []insertion{
	{"transport.go", "Transport", "tryPutIdleConn", first, "$r.commuteLetDial($0)"},
}

// dialFile is added to net/http. Where the number of connections is limited, who waits may not be
// dialing. A connection of HTTP/2 serves many at once.
const dialFile = `package http

import _ "unsafe"

//go:linkname commute_holdWhile runtime.commute_holdWhile
func commute_holdWhile(waiting func() bool)

func (t *Transport) commuteLetDial(pc *persistConn) {
	if t.MaxConnsPerHost <= 0 && !t.DisableKeepAlives && pc.alt == nil {
		commute_holdWhile(func() bool { return t.commuteDialing(pc.cacheKey) })
	}
}

func (t *Transport) commuteDialing(key connectMethodKey) (dialing bool) {
	commute_ignoreEvents(1)
	defer commute_ignoreEvents(-1)
	t.idleMu.Lock()
	defer t.idleMu.Unlock()
	q := t.idleConnWait[key]
	q.all(func(w *wantConn) { dialing = dialing || w.waiting() })
	return dialing
}
`
