// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package address

import (
	"sync"
	"testing"
)

func TestReload(t *testing.T) { reload(t, Address) }

func TestSnapshot(t *testing.T) { reload(t, Snapshot) }

func reload(t *testing.T, address func() string) {
	Current.Store(&Config{"old", 80})
	var wg sync.WaitGroup
	wg.Go(func() { Current.Store(&Config{"new", 443}) })
	wg.Go(func() {
		if a := address(); a != "old:80" && a != "new:443" {
			t.Errorf("the address is %s", a)
		}
	})
	wg.Wait()
}
