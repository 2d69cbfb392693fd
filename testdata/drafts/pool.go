// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Pool keeps connections that nobody uses.
type Pool struct {
	mu   sync.Mutex
	free []int
	max  int
}

// NewPool makes a pool that keeps at most max connections.
func NewPool(max int) *Pool { return &Pool{max: max} }

func (p *Pool) Take() (conn int, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return 0, false
	}
	conn = p.free[n-1]
	p.free = p.free[:n-1]
	return conn, true
}

func (p *Pool) Put(conn int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, conn)
}

func (p *Pool) Idle() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.free)
}

func (p *Pool) Max() int { return p.max }
