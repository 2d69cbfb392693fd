// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

func connection(conns *sync.Map, host string) any {
	if v, ok := conns.Load(host); ok {
		return v
	}
	conn := dial(host) // two goroutines can be here
	conns.Store(host, conn)
	return conn
}

func oneConnection(conns *sync.Map, host string) *conn {
	dialOnce := sync.OnceValue(func() *conn { return dial(host) })
	v, _ := conns.LoadOrStore(host, dialOnce)
	return v.(func() *conn)()
}

func TestRaceDuplicateWork(t *testing.T) {
	var conns sync.Map
	for i := range rounds {
		host := string(rune('a' + i))
		both(func() { connection(&conns, host) }, func() { connection(&conns, host) })
	}
}

func TestNoRaceDuplicateWork(t *testing.T) {
	var conns sync.Map
	for i := range rounds {
		host := string(rune('a' + i))
		both(func() { oneConnection(&conns, host) }, func() { oneConnection(&conns, host) })
	}
}
