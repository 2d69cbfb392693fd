// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"
	"sync/atomic"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A Crawler is that of hedc: a pool of threads asks archives for pictures. One thread counts the
// requests, and others look at the count.
type Crawler struct {
	pool        sync.Mutex
	taken, done int
	results     []int
	served      atomic.Int64
}

// Take is a task, or false if there is none left.
//
//commute:atomic each task is taken once
func (c *Crawler) Take() (task int, ok bool) {
	c.pool.Lock()
	defer c.pool.Unlock()
	turn.Here()
	if c.taken == len(c.results) {
		return 0, false
	}
	c.taken++
	return c.taken - 1, true
}

// TakeInTwo looks in one section and takes in another one.
//
//commute:atomic each task is taken once
func (c *Crawler) TakeInTwo() (task int, ok bool) {
	c.pool.Lock()
	task = c.taken
	c.pool.Unlock()
	turn.Here()
	if task == len(c.results) {
		return 0, false
	}
	c.pool.Lock()
	defer c.pool.Unlock()
	c.taken = task + 1
	return task, true
}

//commute:atomic nobody else has the task
func (c *Crawler) Fetch(task int) { c.results[task] = task }

//commute:atomic it is one section
func (c *Crawler) Report() {
	c.pool.Lock()
	defer c.pool.Unlock()
	c.done++
}

//commute:atomic it is one look
func (c *Crawler) Served() int64 { return c.served.Load() }

//commute:atomic nobody else counts
func (c *Crawler) Serve() { c.served.Store(c.served.Load() + 1) }

//commute:atomic it is one section
func (c *Crawler) Done() int {
	c.pool.Lock()
	defer c.pool.Unlock()
	return c.done
}

func hedc(r run) {
	c := &Crawler{results: make([]int, 3*r.work)}
	fetch := func() {
		for {
			task, ok := c.Take()
			if !ok {
				return
			}
			c.Fetch(task)
			turn.Here()
			c.Report()
			c.Served()
		}
	}
	turn.Go(fetch, fetch, func() {
		r.times(3, 1, func(int) {
			c.Serve()
			turn.Here()
			c.Done()
		})
	})
}

// A Server is jigsaw: stores are counted as they are loaded, without a lock.
type Server struct {
	loaded      int
	stores      sync.Mutex
	store       int
	hits, bytes atomic.Int64
	cache       sync.Mutex
	idle        atomic.Int64
	logLock     sync.Mutex
	length      int
	entry       int
	alive       [workers]atomic.Int64
}

// LoadStore counts a store while it is loaded.
//
//commute:atomic the count is that of the stores
func (s *Server) LoadStore(n int) {
	s.loaded++
	s.stores.Lock()
	s.store = n
	s.stores.Unlock()
	turn.Here()
	s.loaded--
}

//commute:atomic the count is that of the stores
func (s *Server) SafeLoadStore(n int) {
	s.stores.Lock()
	defer s.stores.Unlock()
	s.loaded++
	s.store = n
	turn.Here()
	s.loaded--
}

//commute:atomic it is one section
func (s *Server) Serve() int {
	s.stores.Lock()
	defer s.stores.Unlock()
	return s.store
}

// Busy is whether many stores are loaded.
//
//commute:atomic it is one look
func (s *Server) Busy() bool {
	s.stores.Lock()
	defer s.stores.Unlock()
	return s.loaded > 2
}

//commute:atomic it is one write
func (s *Server) Hit(n int) { s.hits.Store(int64(n)) }

//commute:atomic it is one write
func (s *Server) Sent(n int) { s.bytes.Store(int64(n)) }

// Statistics looks at the hits twice.
//
//commute:atomic it is not: they may change
func (s *Server) Statistics() int64 {
	was := s.hits.Load()
	turn.Here()
	return s.bytes.Load() + s.hits.Load() - was
}

//commute:atomic it looks once
func (s *Server) SafeStatistics() int64 {
	hits := s.hits.Load()
	turn.Here()
	return hits
}

// GetThread looks before it takes the lock.
//
//commute:atomic there are not more than four
func (s *Server) GetThread() bool {
	idle := s.idle.Load()
	turn.Here()
	if idle > 3 {
		return false
	}
	s.cache.Lock()
	defer s.cache.Unlock()
	s.idle.Store(idle + 1)
	return true
}

//commute:atomic there are not more than four
func (s *Server) SafeGetThread() bool {
	s.cache.Lock()
	defer s.cache.Unlock()
	idle := s.idle.Load()
	turn.Here()
	if idle > 3 {
		return false
	}
	s.idle.Store(idle + 1)
	return true
}

// Log looks how long the log is in one section, and writes in another one.
//
//commute:atomic no entry is lost
func (s *Server) Log() {
	s.logLock.Lock()
	n := s.length
	s.logLock.Unlock()
	turn.Here()
	if n > 2 {
		n = 0
	}
	s.logLock.Lock()
	defer s.logLock.Unlock()
	s.entry, s.length = n, n+1
}

//commute:atomic no entry is lost
func (s *Server) SafeLog() {
	s.logLock.Lock()
	defer s.logLock.Unlock()
	n := s.length
	turn.Here()
	if n > 2 {
		n = 0
	}
	s.entry, s.length = n, n+1
}

//commute:atomic nobody else counts
func (s *Server) WaitForRunner(part int) { s.alive[part].Store(s.alive[part].Load() + 1) }

//commute:atomic it is one look
func (s *Server) Alive(part int) bool { return s.alive[part].Load() > 0 }

func jigsaw(r run) {
	s := new(Server)
	r.workers(1, func(part int) {
		s.WaitForRunner(part)
		s.GetThread()
		s.LoadStore(part)
		s.Serve()
		s.Busy()
		turn.Here()
		s.Hit(part)
		s.Sent(part)
		s.Statistics()
		s.Log()
		s.Alive((part + 1) % workers)
	})
}
