// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A Floor has people who wait, and lifts that have said that they come.
type Floor struct {
	mu       sync.Mutex
	waiting  int
	up, down bool
}

// claim looks under the lock whether somebody waits and nobody comes, and claims the floor under
// the lock that it takes again.
func (f *Floor) claim(claimed *bool) bool {
	f.mu.Lock()
	wanted := f.waiting > 0 && !*claimed
	f.mu.Unlock()
	turn.Here()
	if wanted {
		f.mu.Lock()
		*claimed = true
		f.mu.Unlock()
	}
	return wanted
}

//commute:atomic one lift comes
func (f *Floor) ClaimUp() bool { return f.claim(&f.up) }

//commute:atomic one lift comes
func (f *Floor) ClaimDown() bool { return f.claim(&f.down) }

// SafeClaim looks and claims in one section.
//
//commute:atomic one lift comes
func (f *Floor) SafeClaim() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted := f.waiting > 0 && !f.up
	turn.Here()
	if wanted {
		f.up = true
	}
	return wanted
}

//commute:atomic it is one section
func (f *Floor) Arrive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting /= 2
	f.up, f.down = false, false
}

//commute:atomic it is one section
func (f *Floor) Press() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
}

func elevator(r run) {
	const floors = 3
	var list [floors]Floor
	for i := range list {
		list[i].waiting = 1
	}
	lift := func(n int) {
		f := &list[n%floors]
		f.ClaimUp()
		f.ClaimDown()
		f.Arrive()
	}
	turn.Go(
		func() { r.times(2, 1, lift) },
		func() { r.times(2, 2, lift) },
		func() { r.times(6, 3, func(n int) { list[n%floors].Press(); turn.Here() }) },
	)
}
