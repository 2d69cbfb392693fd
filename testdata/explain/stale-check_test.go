// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explain

import (
	"sync"
	"testing"
)

const limit = 100

type pool struct {
	mu   sync.Mutex
	jobs map[int]string
}

func (p *pool) tooMany(id int, job string) {
	p.mu.Lock()
	free := len(p.jobs) < limit
	p.mu.Unlock()
	if free { // another goroutine may take the last place here
		p.mu.Lock()
		p.jobs[id] = job
		p.mu.Unlock()
	}
}

func (p *pool) upToLimit(id int, job string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.jobs) < limit {
		p.jobs[id] = job
	}
}

func TestRaceStaleCheck(t *testing.T) {
	p := &pool{jobs: make(map[int]string)}
	for i := range rounds {
		both(func() { p.tooMany(2*i, "x") }, func() { p.tooMany(2*i+1, "y") })
	}
}

func TestNoRaceStaleCheck(t *testing.T) {
	p := &pool{jobs: make(map[int]string)}
	for i := range rounds {
		both(func() { p.upToLimit(2*i, "x") }, func() { p.upToLimit(2*i+1, "y") })
	}
}
