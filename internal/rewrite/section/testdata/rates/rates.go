// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Command rates is a program of which each touch is shown.
package main

import "sync"

type rates struct {
	mu   sync.RWMutex
	m    map[string]int
	list []string
	n    int
	name string
}

func (r *rates) get(k string) (int, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, ok := r.m[k]
	return v, ok
}

func (r *rates) put(k string, v int) {
	r.mu.Lock()
	r.m[k] = v // stays here
	r.n++
	r.list = append(r.list, k)
	r.list[0] += "!"
	r.mu.Unlock()
}

func (r *rates) raise(k string) {
	v, _ := r.get(k)
	r.put(k, v+1)
}

func (r *rates) drop(k string) {
	if len(r.m) > 0 && r.list[0] != r.name {
		delete(r.m, k)
	}
	for range r.m {
		r.n = 0
	}
	clear(r.m)
}

var done func()

const speaks = true

func main() {
	r := &rates{m: map[string]int{"b": 2}}
	r.raise("a")
	r.m["a"]++
	r.drop("a")
	done()
}
