// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package hosts

import "testing"

// The test passes under go test and go test -race, and fails under commute test.
func TestConnectAll(t *testing.T) {
	conns := ConnectAll([]string{"a.com", "b.com", "a.com"})
	for _, host := range []string{"a.com", "b.com"} {
		if _, ok := conns.Load(host); !ok {
			t.Errorf("no connection to %s", host)
		}
	}
}
