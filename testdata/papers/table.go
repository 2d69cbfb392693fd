// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A Hashtable is that of JDK 1.4.2: a lock, a count, and entries.
type Hashtable struct {
	mu      sync.Mutex
	count   int
	entries [keys]int // by key; 0 is no entry
}

const keys = 4

func (h *Hashtable) size() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

func (h *Hashtable) load(key int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.entries[key]
}

func (h *Hashtable) store(key, value int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.set(key, value)
}

// set is store for whoever holds the lock.
func (h *Hashtable) set(key, value int) {
	switch was := h.entries[key]; {
	case was == 0 && value != 0:
		h.count++
	case was != 0 && value == 0:
		h.count--
	}
	h.entries[key] = value
}

// each calls a function with each entry, which is asked for one by one.
func (h *Hashtable) each(f func(key, value int)) {
	n := h.size()
	for key := 0; key < keys && n > 0; key++ {
		turn.Here()
		f(key, h.load(key))
	}
}

//commute:atomic all entries are of one state
func (h *Hashtable) PutAll(o *Hashtable) { o.each(h.store) }

//commute:atomic all entries are of one state
func (h *Hashtable) SafePutAll(o *Hashtable) {
	h.mu.Lock()
	defer h.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	turn.Here()
	for key, value := range o.entries {
		h.set(key, value)
	}
}

//commute:atomic all entries are of one state
func (h *Hashtable) Equal(o *Hashtable) bool {
	same := true
	o.each(func(key, value int) { same = same && h.load(key) == value })
	return same
}

//commute:atomic all entries are of one state
func (h *Hashtable) ToString() (s string) {
	h.each(func(key, value int) { s += string(rune('a'+key)) + string(rune('0'+value)) })
	return s
}

//commute:atomic all entries are of one state
func (h *Hashtable) HashCode() (sum int) {
	h.each(func(key, value int) { sum += key ^ value })
	return sum
}

//commute:atomic all entries are of one state
func (h *Hashtable) SafeHashCode() (sum int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	turn.Here()
	for key, value := range h.entries {
		sum += key ^ value
	}
	return sum
}

//commute:atomic it is one section
func (h *Hashtable) Put(key, value int) { h.store(key, value) }

//commute:atomic it is one section
func (h *Hashtable) Remove(key int) { h.store(key, 0) }

//commute:atomic it is one section
func (h *Hashtable) Get(key int) int { return h.load(key) }

// tables has each method that looks at a table run beside others that change it: a phase for each.
func tables(r run) {
	for range r.work {
		for _, look := range []func(h, o *Hashtable){
			(*Hashtable).PutAll, func(h, o *Hashtable) { h.Equal(o) },
			func(_, o *Hashtable) { o.ToString() }, func(_, o *Hashtable) { o.HashCode() },
		} {
			shared := new(Hashtable)
			shared.Put(0, 1)
			shared.Put(1, 2)
			change := func(n int) {
				shared.Put(n%keys, n+1)
				shared.Remove((n + 2) % keys)
				shared.Get(n % keys)
				turn.Here()
			}
			once := run{r.seed, 1}
			turn.Go(
				func() { once.times(3, 1, func(int) { look(new(Hashtable), shared) }) },
				func() { once.times(6, 2, change) }, func() { once.times(6, 3, change) },
			)
		}
	}
}
