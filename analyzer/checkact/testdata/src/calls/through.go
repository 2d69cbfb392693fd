// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package calls

import "sync"

// Checks and acts through functions of the package, and keys that are computed twice by a call.

type store struct {
	m, other sync.Map
	mu       sync.Mutex
}

func (s *store) get(k string) (int, bool) {
	v, ok := s.m.Load(k)
	if !ok {
		return 0, false
	}
	return v.(int), true
}

func (s *store) has(k string) bool {
	_, ok := s.m.Load(k)
	return ok
}

func (s *store) put(k string, n int)      { s.m.Store(k, n) }
func (s *store) remove(k string)          { s.m.Delete(k) }
func (s *store) putUnder(k string, n int) { s.put(k, n) }

func (s *store) putIf(k string, n int, really bool) {
	if really {
		s.put(k, n)
	}
}

func (s *store) add(k string) {
	n, _ := s.get(k)
	s.put(k, n+1) // want "Load -1, Store through"
}

func (s *store) addDeep(k string) {
	n, _ := s.get(k)
	s.putUnder(k, n+1) // want "Load -1, Store through"
}

func (s *store) ensure(k string) {
	if !s.has(k) {
		s.put(k, 1) // want "Load -1, Store through"
	}
}

func (s *store) drop(k string) {
	if s.has(k) {
		s.m.Delete(k) // want "Load -1, Delete through"
	}
}

func (s *store) dropThrough(k string) {
	if _, ok := s.m.Load(k); ok {
		s.remove(k) // want "Load -1, Delete through"
	}
}

func (s *store) really(k string) {
	s.putIf(k, 1, !s.has(k)) // want `Load \+0, Store through`
}

func (s *store) again(k string) {
	if s.has(k) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has(k) {
		return
	}
	s.put(k, 1) // want "Load -3, Store through"
}

func whole(s *store, r *message) {
	if !s.has(r.GetName()) {
		s.put(r.GetName(), 1) // want "Load -1, Store through"
	}
}

type message struct{ name string }

func (m *message) GetName() string { return m.name }

func computed(m *sync.Map, r *message) {
	if _, ok := m.Load(r.GetName()); !ok {
		m.Store(r.GetName(), 1) // want "Load -1, Store"
	}
	if _, ok := m.Load(r.String()); !ok {
		m.Store(r.String(), 1) // want "Load -1, Store"
	}
}

func (m *message) String() string { return m.name }

type shards [4]store

func (s *shards) of(k string) *sync.Map { return &s[len(k)%4].m }

func (s *shards) ensure(k string) {
	if _, ok := s.of(k).Load(k); !ok {
		s.of(k).Store(k, 1) // want "Load -1, Store"
	}
}

// What is not found.

// loose may have another key each time: only the calls' frames could tell.
func (s *store) loose(r *message) {
	if !s.has(r.String()) {
		s.put(r.String(), 1)
	}
}

func (s *store) otherKey(a, b string) {
	if !s.has(a) {
		s.put(b, 1)
	}
}

func (s *store) otherMap(k string) {
	if !s.has(k) {
		s.other.Store(k, 1)
	}
}

// maybe acts without a check, too.
func (s *store) maybe(k string, look bool) {
	n := 0
	if look {
		n, _ = s.get(k)
	}
	s.put(k, n+1)
}

// rarely checks not always.
func (s *store) rarely(k string) bool {
	if k == "" {
		return false
	}
	return s.has(k)
}

func (s *store) rare(k string) {
	if !s.rarely(k) {
		s.put(k, 1)
	}
}

// putNew looks for itself.
func (s *store) putNew(k string) {
	if !s.has(k) {
		s.put(k, 1) // want "Load -1, Store through"
	}
}

func (s *store) twice(k string) {
	if !s.has(k) {
		s.putNew(k)
	}
}

// claim has an arbiter decide.
func (s *store) claim(k string) {
	if _, loaded := s.m.LoadOrStore(k, 0); !loaded {
		s.put(k, 1)
	}
}

func (s *store) claimed(k string) {
	if !s.has(k) {
		s.claim(k)
	}
}

// first returns what has nothing to do with the check.
func (s *store) first(k string) int {
	use(s.has(k))
	return 1
}

func (s *store) unrelated(k string) {
	n := s.first(k)
	s.put(k, n)
}

// constant puts the same whatever it is given.
func (s *store) constant(k string, n int) { s.put(k, 0) }

func (s *store) noMatter(k string) {
	n, _ := s.get(k)
	s.constant(k, n)
}
