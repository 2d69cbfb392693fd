// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import (
	"errors"
	"sync"
)

// Sessions keeps who is logged in.
type Sessions struct {
	mu   sync.RWMutex
	user map[string]string
}

// ErrTaken says that there is such a session.
var ErrTaken = errors.New("taken")

// NewSessions makes a store without sessions.
func NewSessions() *Sessions { return &Sessions{user: make(map[string]string)} }

func (s *Sessions) User(id string) (user string, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	user, ok = s.user[id]
	return
}

func (s *Sessions) Create(id, user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.user[id]; ok {
		return ErrTaken
	}
	s.user[id] = user
	return nil
}

func (s *Sessions) Put(id, user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.user[id] = user
}

func (s *Sessions) End(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.user[id]; !ok {
		return errors.New("no session " + id)
	}
	delete(s.user, id)
	return nil
}

func (s *Sessions) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.user)
}

func (s *Sessions) All() map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := make(map[string]string, len(s.user))
	for id, user := range s.user {
		all[id] = user
	}
	return all
}
