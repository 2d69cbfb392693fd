// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// Clients of a server often share a Transport of net/http. Of two requests at once, the second one
// has a connection of its own if that is made before the first one is done. Otherwise it takes that
// of the first, and the server's goroutine for it serves both, one after the other. Which of the
// two happens is chance, and in the second nothing can interfere. So a goroutine that is about to
// give a connection back lets those that dial go first, and those that may be about to.
//
// Nobody is about to where one goroutine alone makes requests. So where a goroutine has used a
// connection several times, and started no other one since, and no other one has used the Transport
// since, and each time nobody had dialed, only those are waited for that do dial.

var dials = []insertion{
	{"transport.go", "persistConn", "roundTrip", first,
		"$r.commuteUses.commuteUse(&$r.t.commuteUsers)"},
	{"transport.go", "Transport", "tryPutIdleConn", first, "$r.commuteLetDial($0)"},
}

// dialing adds to net/http what is said above.
func (p *Package) dialing() error {
	f, err := p.parse("transport.go")
	if err != nil {
		return err
	}
	transport, conn := f.structType("Transport"), f.structType("persistConn")
	if transport == nil || conn == nil {
		return p.unexpected("transport.go has no Transport or no persistConn")
	}
	f.insert(transport.Fields.Closing, "commuteUsers commuteUsers; ")
	f.insert(conn.Fields.Closing, "commuteUses commuteUses; ")
	return p.insertAll(dials)
}

// dialFile is added to net/http. Where the number of connections is limited, who waits may not be
// dialing. A connection of HTTP/2 serves many at once.
const dialFile = `package http

import _ "unsafe"

//go:linkname commute_holdWhile runtime.commute_holdWhile
func commute_holdWhile(waiting func() bool, forOthers bool) (vain bool)

//go:linkname commute_used runtime.commute_used
func commute_used(all *commuteUsers) (change uint32)

type commuteUsers struct{ last, changes uint32 }

type commuteUses struct {
	change uint32
	vain   int
}

func (u *commuteUses) commuteUse(all *commuteUsers) {
	if change := commute_used(all); u.change != change {
		*u = commuteUses{change: change}
	}
}

func (t *Transport) commuteLetDial(pc *persistConn) {
	const vain = 3
	if t.MaxConnsPerHost <= 0 && !t.DisableKeepAlives && pc.alt == nil {
		u := &pc.commuteUses
		if commute_holdWhile(func() bool { return t.commuteDialing(pc.cacheKey) }, u.vain < vain) {
			u.vain++
		}
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
