// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// claimSources are functions that put something into a map and then do work, once for each key.
var claimSources = map[string]string{
	"a set that claims work": `
func (t *T) F(k string) {
	t.mu.Lock()
	_, ok := t.m[k] // check c
	t.mu.Unlock()
	if ok {
		return
	}
	t.mu.Lock()
	t.m[k] = 1 // act c, flag
	t.mu.Unlock()
	go work()
}`,
	"a set with helpers that claims work": `
type set struct {
	mu sync.Mutex
	m  map[string]struct{}
}

func (s *set) has(k string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.m[k] // check c
	return ok
}

func (s *set) add(k string) {
	s.mu.Lock()
	s.m[k] = struct{}{} // act c, flag
	s.mu.Unlock()
}

func F(s *set, k string, out chan string) {
	if !s.has(k) {
		s.add(k)
		out <- k
	}
}`,
	"a map that claims work by a helper's argument": `
func (t *T) has(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] != 0 // check c
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	t.m[k] = v // act c, flag
	t.mu.Unlock()
}

func (t *T) F(k string, run func()) {
	if !t.has(k) {
		t.put(k, 1)
		run()
	}
}`,
	"a memo of what was done claims nothing": `
func (t *T) F(k string, run func()) {
	t.mu.Lock()
	_, ok := t.m[k] // check c
	t.mu.Unlock()
	if !ok {
		run()
		t.mu.Lock()
		t.m[k] = 1 // act c, computed
		t.mu.Unlock()
	}
}`,
	"a memo of what was done in a loop claims nothing": `
func (t *T) F(keys []string, run func()) {
	for _, k := range keys {
		t.mu.Lock()
		_, ok := t.m[k] // check c
		t.mu.Unlock()
		if ok {
			continue
		}
		run()
		t.mu.Lock()
		t.m[k] = 1 // act c, computed
		t.mu.Unlock()
	}
}`,
	"what is done in any case is not claimed": `
func (t *T) F(k string, run func()) {
	t.mu.Lock()
	_, ok := t.m[k] // check c
	t.mu.Unlock()
	if !ok {
		t.mu.Lock()
		t.m[k] = 1 // act c, computed
		t.mu.Unlock()
	}
	run()
}`,
	"a value that differs claims nothing": `
func (t *T) F(k string, v int, run func()) {
	t.mu.Lock()
	_, ok := t.m[k] // check c
	t.mu.Unlock()
	if !ok {
		t.mu.Lock()
		t.m[k] = v // act c, computed
		t.mu.Unlock()
		run()
	}
}`,
}
