// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

func anyConn(conns *sync.Map, host string) *conn {
	fresh := dial(host)
	conns.LoadOrStore(host, fresh) // another may have been first
	return fresh
}

func firstConn(conns *sync.Map, host string) *conn {
	fresh := dial(host)
	v, loaded := conns.LoadOrStore(host, fresh)
	if loaded {
		fresh.Close() // another was first
	}
	return v.(*conn)
}

func TestRaceArbitration(t *testing.T) {
	var conns sync.Map
	both(func() { anyConn(&conns, "a") }, func() { anyConn(&conns, "a") })
}

func TestNoRaceArbitration(t *testing.T) {
	var conns sync.Map
	both(func() { firstConn(&conns, "a") }, func() { firstConn(&conns, "a") })
}
