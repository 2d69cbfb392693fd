// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Limiter gives each client some tokens.
type Limiter struct {
	mu     sync.Mutex
	tokens map[string]*bucket
	burst  int
}

type bucket struct{ used int }

// NewLimiter makes a limiter of that many tokens for each client.
func NewLimiter(burst int) *Limiter {
	return &Limiter{tokens: make(map[string]*bucket), burst: burst}
}

func (l *Limiter) bucket(client string) *bucket {
	b, ok := l.tokens[client]
	if !ok {
		b = &bucket{}
		l.tokens[client] = b
	}
	return b
}

func (l *Limiter) Allow(client string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.bucket(client)
	if b.used >= l.burst {
		return false
	}
	b.used++
	return true
}

func (l *Limiter) Left(client string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.tokens[client]; ok {
		return l.burst - b.used
	}
	return l.burst
}

func (l *Limiter) Use(client string, n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(client).used += n
}

func (l *Limiter) Reset(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tokens, client)
}
