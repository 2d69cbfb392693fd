// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hosts connects to a list of hosts at once, as figure 1 of Dimitrov and others, "Commutativity Race Detection"
// (PLDI 2014), does. A host that is in the list twice is connected to twice, and the connection that is stored first is
// lost: no data race, but two calls of Store that do not commute.
package hosts

import "sync"

// A Conn stands for a connection.
type Conn struct{ Host string }

// ConnectAll connects to all hosts, each in a goroutine of its own, and returns the connections by host.
func ConnectAll(hosts []string) *sync.Map {
	var conns sync.Map
	var all sync.WaitGroup
	for _, host := range hosts {
		all.Go(func() {
			conns.Store(host, &Conn{host})
		})
	}
	all.Wait()
	return &conns
}
