// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package m

import "sync"

type Server struct {
	users sync.Map
	mu    sync.RWMutex
	n     int
}

func (s *Server) Add(name string) { // two sections
	s.users.Store(name, 1)
	s.mu.Lock()
	s.n++
	s.mu.Unlock()
}

func (s *Server) Has(name string) bool {
	_, ok := s.users.Load(name)
	return ok
}

func (s *Server) Drop(name string) {
	s.users.Delete(name)
	s.mu.Lock()
	s.n--
	s.mu.Unlock()
}

func (s *Server) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.n
}
