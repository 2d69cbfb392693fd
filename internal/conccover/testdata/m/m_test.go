// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package m

import (
	"sync"
	"testing"
)

func TestServer(t *testing.T) {
	var s Server
	s.Add("a")
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { s.Add("a"); s.Has("a") })
	}
	wg.Wait()
	s.Drop("a")
	if s.Len() != 2 {
		t.Error(s.Len())
	}
}
