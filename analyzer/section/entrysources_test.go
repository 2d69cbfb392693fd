// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

var entrySources = map[string]string{
	"entry gone": `
type entry struct{ refs int }

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.m[k] // act g, entry gone
	if e == nil {
		e = &entry{}
		c.m[k] = e
	}
	e.refs++ // check g
	return e
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	e.refs--
	n := e.refs // check r
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		delete(c.m, k) // act r, entry gone
		c.mu.Unlock()
	}
}`,
	"entry, looked at again": `
type entry struct{ refs int }

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.m[k]
	if e == nil {
		e = &entry{}
		c.m[k] = e
	}
	e.refs++
	return e
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	e.refs--
	n := e.refs
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		if e.refs == 0 {
			delete(c.m, k)
		}
		c.mu.Unlock()
	}
}`,
	"entry, one section": `
type entry struct{ refs int }

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.m[k]
	if e == nil {
		e = &entry{}
		c.m[k] = e
	}
	e.refs++
	return e
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.refs--
	if e.refs == 0 {
		delete(c.m, k)
	}
}`,
	"entry that says that it is gone": `
type entry struct {
	refs int
	gone bool
}

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.m[k]
	if e == nil || e.gone {
		return nil
	}
	e.refs++
	return e
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	e.refs--
	n := e.refs
	e.gone = n == 0
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		delete(c.m, k)
		c.mu.Unlock()
	}
}`,
	"entry that is counted elsewhere": `
type entry struct{ refs int }

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.m[k]
}

func (c *cache) use(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.refs++
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	e.refs--
	n := e.refs
	c.mu.Unlock()
	if n == 0 {
		c.mu.Lock()
		delete(c.m, k)
		c.mu.Unlock()
	}
}`,
	"entry in a flight": `
type entry struct{ refs int }

type cache struct {
	mu sync.Mutex
	m  map[string]*entry
}

func (c *cache) get(k string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.m[k]
	if e == nil {
		e = &entry{}
		c.m[k] = e
	}
	e.refs++
	return e
}

func (c *cache) release(k string, e *entry) {
	c.mu.Lock()
	e.refs--
	c.mu.Unlock()
	c.mu.Lock()
	delete(c.m, k)
	c.mu.Unlock()
}`,
	"torn": `
type span struct {
	mu       sync.Mutex
	from, to int
}

func (s *span) get() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, s.to // check g // act g, torn
}

func (s *span) set(from, to int) {
	s.mu.Lock()
	s.from = from // check s
	s.mu.Unlock()
	s.mu.Lock()
	s.to = to // act s, torn
	s.mu.Unlock()
}`,
	"torn, but each is set by itself": `
type span struct {
	mu       sync.Mutex
	from, to int
}

func (s *span) get() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, s.to
}

func (s *span) setFrom(from int) {
	s.mu.Lock()
	s.from = from
	s.mu.Unlock()
}

func (s *span) set(from, to int) {
	s.mu.Lock()
	s.from = from
	s.mu.Unlock()
	s.mu.Lock()
	s.to = to
	s.mu.Unlock()
}`,
	"set in one section": `
type span struct {
	mu       sync.Mutex
	from, to int
}

func (s *span) get() (int, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from, s.to
}

func (s *span) set(from, to int) {
	s.mu.Lock()
	s.from = from
	s.to = to
	s.mu.Unlock()
}`,
	"set in two sections, read one by one": `
type span struct {
	mu       sync.Mutex
	from, to int
}

func (s *span) first() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.from
}

func (s *span) last() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to
}

func (s *span) set(from, to int) {
	s.mu.Lock()
	s.from = from
	s.mu.Unlock()
	s.mu.Lock()
	s.to = to
	s.mu.Unlock()
}`,
}
