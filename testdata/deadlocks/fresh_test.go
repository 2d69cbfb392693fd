// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package deadlocks

import (
	"sync"
	"testing"
)

// A hub has members, who learn of each other by its list only.
type hub struct {
	mu      sync.Mutex
	members []*member
}

type member struct {
	mu sync.Mutex
	n  int
}

// join makes a member, whose lock it holds until the list has it.
func (h *hub) join() *member {
	m := &member{n: 1}
	m.mu.Lock()
	defer m.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.members = append(h.members, m)
	return m
}

// all takes the lock of each member inside of its own.
func (h *hub) all() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, m := range h.members {
		m.mu.Lock()
		m.n++
		m.mu.Unlock()
	}
}

// Nobody can hold a lock that nobody else knows.
func TestNoRaceFreshHeld(t *testing.T) {
	h := new(hub)
	oneByOne(func() { h.join() }, h.all)
}

func TestNoRaceFreshWanted(t *testing.T) {
	h := new(hub)
	oneByOne(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		m := new(member)
		m.mu.Lock()
		m.n = 1
		m.mu.Unlock()
		h.members = append(h.members, m)
	}, func() {
		h.mu.Lock()
		m := h.members[0]
		h.mu.Unlock()
		m.mu.Lock()
		h.mu.Lock()
		h.mu.Unlock()
		m.mu.Unlock()
	})
}

// The list has the member before its lock is taken.
func TestRaceKnownHeld(t *testing.T) {
	h := new(hub)
	oneByOne(func() {
		m := &member{n: 1}
		h.mu.Lock()
		h.members = append(h.members, m)
		h.mu.Unlock()
		nest(&m.mu, &h.mu)
	}, h.all)
}

// The list has the member when the lock of another hub is taken.
func TestRaceKnownMeanwhile(t *testing.T) {
	h, other := new(hub), new(hub)
	oneByOne(func() {
		m := &member{n: 1}
		m.mu.Lock()
		h.mu.Lock()
		h.members = append(h.members, m)
		h.mu.Unlock()
		other.mu.Lock()
		other.mu.Unlock()
		m.mu.Unlock()
	}, func() {
		other.mu.Lock()
		h.all()
		other.mu.Unlock()
	})
}

// A goroutine has the member when the lock is taken.
func TestRaceKnownByStart(t *testing.T) {
	h := new(hub)
	var done flag
	var all sync.WaitGroup
	m := new(member)
	all.Go(func() {
		done.await()
		nest(&h.mu, &m.mu)
	})
	m.mu.Lock()
	h.mu.Lock()
	h.mu.Unlock()
	m.mu.Unlock()
	done.raise()
	all.Wait()
}
