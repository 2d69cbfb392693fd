// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

func connectAll(hosts []string) {
	var conns sync.Map
	var wg sync.WaitGroup
	for _, host := range hosts {
		// a host that is listed twice has two connections, and one is lost
		wg.Go(func() { conns.Store(host, dial(host)) })
	}
	wg.Wait()
}

func connectOnce(hosts []string) {
	var conns sync.Map
	var wg sync.WaitGroup
	for _, host := range hosts {
		wg.Go(func() {
			conn := dial(host)
			if _, loaded := conns.LoadOrStore(host, conn); loaded {
				conn.Close() // the host has one already
			}
		})
	}
	wg.Wait()
}

func TestRaceLostUpdate(t *testing.T)   { connectAll([]string{"a", "b", "a"}) }
func TestNoRaceLostUpdate(t *testing.T) { connectOnce([]string{"a", "b", "a"}) }
