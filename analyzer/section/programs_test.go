// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"
)

// TestPrograms has the code that people write around a mutex, wrong and right.
func TestPrograms(t *testing.T) {
	for name, text := range programSources {
		t.Run(name, func(t *testing.T) {
			text := "package p\n\nimport \"sync\"\n" + text
			pkg := source(t, text)
			r := Find(pkg, nil)
			checkResult(t, pkg, r)
			got, want := pairsOf(pkg, r), wanted(text)
			if !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q\n%s", got, want, text)
			}
			for _, l := range r.Locks {
				if !l.Complete {
					t.Errorf("%v: section is not complete", pkg.Fset.Position(l.Call.Pos()))
				}
			}
		})
	}
}

var programSources = map[string]string{
	"profile that is written back": `
type Profile struct {
	ID     string
	Visits int
}

type Profiles struct {
	mu sync.RWMutex
	m  map[string]Profile
}

func (p *Profiles) Get(id string) Profile {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.m[id] // check c
}

func (p *Profiles) Put(x Profile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.m[x.ID] = x // act c, lost update
}

func (p *Profiles) Visit(id string) {
	x := p.Get(id)
	x.Visits++
	p.Put(x)
}`,
	"stock": `
type Store struct {
	mu    sync.Mutex
	stock map[string]int
}

func (s *Store) Stock(item string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stock[item] // check c
}

func (s *Store) Remove(item string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stock[item] -= n // act c, exceeded
}

func (s *Store) Sell(item string, n int) bool {
	if s.Stock(item) < n {
		return false
	}
	s.Remove(item, n)
	return true
}`,
	"queue": `
type Queue struct {
	mu    sync.Mutex
	items []int
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) // check c
}

func (q *Queue) Pop() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	x := q.items[0]
	q.items = q.items[1:] // act c, exceeded
	return x
}

func (q *Queue) Next() (int, bool) {
	if q.Len() == 0 {
		return 0, false
	}
	return q.Pop(), true
}`,
	"queue that looks again": `
type Queue struct {
	mu    sync.Mutex
	items []int
}

func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items)
}

func (q *Queue) Pop() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		return 0, false
	}
	x := q.items[0]
	q.items = q.items[1:]
	return x, true
}

func (q *Queue) Next() (int, bool) {
	if q.Len() == 0 {
		return 0, false
	}
	return q.Pop()
}`,
	"references": `
type Conn struct{ refs int }

type Pool struct {
	mu sync.Mutex
	m  map[string]*Conn
}

func (p *Pool) release(k string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.m[k] // check c
	c.refs--
	return c.refs
}

func (p *Pool) drop(k string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.m, k) // act c, deleted after
}

func (p *Pool) Release(k string) {
	if p.release(k) == 0 {
		p.drop(k)
	}
}`,
	"list of a key": `
type Index struct {
	mu sync.Mutex
	m  map[string][]int
}

func (x *Index) get(k string) []int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.m[k] // check c
}

func (x *Index) set(k string, list []int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.m[k] = list // act c, lost update
}

func (x *Index) Add(k string, n int) {
	list := x.get(k)
	list = append(list, n)
	x.set(k, list)
}`,
	"list of a key, in one section": `
type Index struct {
	mu sync.Mutex
	m  map[string][]int
}

func (x *Index) Add(k string, n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.m[k] = append(x.m[k], n)
}`,
	"shards": `
type shard struct {
	mu sync.RWMutex
	m  map[string]*int
}

type Map struct{ shards [16]*shard }

func (m *Map) shard(k string) *shard { return m.shards[len(k)%16] }

func (m *Map) Get(k string) *int {
	s := m.shard(k)
	s.mu.RLock()
	v, ok := s.m[k] // check c
	s.mu.RUnlock()
	if ok {
		return v
	}
	v = new(int)
	s = m.shard(k)
	s.mu.Lock()
	s.m[k] = v // act c, created
	s.mu.Unlock()
	return v
}`,
	"lock of a parameter": `
func with(mu *sync.Mutex, f func()) {
	mu.Lock()
	defer mu.Unlock()
	f()
}

type Counter struct {
	mu sync.Mutex
	n  int
}

func (c *Counter) Add() {
	var was int
	with(&c.mu, func() { was = c.n }) // check c
	with(&c.mu, func() { c.n = was + 1 }) // act c, lost update
}`,
	"watchers": `
type watcher struct{ dead bool }

type Hub struct {
	mu   sync.Mutex
	list []*watcher
}

func (h *Hub) all() []*watcher {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]*watcher(nil), h.list...)
}

func (h *Hub) remove(w *watcher) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, x := range h.list {
		if x == w {
			h.list = append(h.list[:i], h.list[i+1:]...)
			return
		}
	}
}

func (h *Hub) Sweep() {
	for _, w := range h.all() {
		if w.dead {
			h.remove(w)
		}
	}
}`,
	"flight": `
type call struct {
	done chan struct{}
	v    int
}

type Group struct {
	mu    sync.Mutex
	calls map[string]*call
}

func (g *Group) Do(k string, f func() int) int {
	g.mu.Lock()
	if c, ok := g.calls[k]; ok {
		g.mu.Unlock()
		<-c.done
		return c.v
	}
	c := &call{done: make(chan struct{})}
	g.calls[k] = c
	g.mu.Unlock()
	c.v = f()
	close(c.done)
	g.mu.Lock()
	delete(g.calls, k)
	g.mu.Unlock()
	return c.v
}`,
	"transfer": `
type Account struct {
	mu      sync.Mutex
	balance int
}

func (a *Account) Balance() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance // check c
}

func (a *Account) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n // act c, exceeded
}

func Transfer(from, to *Account, n int) bool {
	if from.Balance() < n {
		return false
	}
	from.Add(-n)
	to.Add(n)
	return true
}`,
}
