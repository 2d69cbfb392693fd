// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package hosts connects to a list of hosts at once, as in figure 1 of Dimitrov and others (PLDI
// 2014). A host that is in the list twice is connected to twice, and the first connection is lost:
// no data race, but two calls of Store that do not commute.
package hosts

import "sync"

// A Conn stands for a connection.
type Conn struct{ Host string }

// ConnectAll connects to each host in a goroutine, and returns the connections by host.
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
