// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package user composes the methods of other packages' types. It takes no lock itself, but for one
// function.
package user

import (
	"sync"

	"example.com/rates.v1"
	"github.com/commutego/commute/testdata/composed/store"
)

// An Item has an identity.
type Item struct{ Key string }

// Fill makes an item that is not there.
func Fill(s *store.Store[*Item], k string, pause func()) {
	if !s.Has(k) {
		pause()
		s.Put(k, &Item{k})
	}
}

// FillNew is Fill with a method that looks again.
func FillNew(s *store.Store[*Item], k string, pause func()) {
	if !s.Has(k) {
		pause()
		s.PutNew(k, &Item{k})
	}
}

var filling sync.Mutex

// FillLocked is Fill under a lock.
func FillLocked(s *store.Store[*Item], k string, pause func()) {
	filling.Lock()
	defer filling.Unlock()
	Fill(s, k, pause)
}

// Raise raises a rate.
func Raise(r *rates.Rates, name string, pause func()) {
	n := r.Get(name)
	pause()
	r.Set(name, n+1)
}

// RaiseBy is Raise with a method that does both.
func RaiseBy(r *rates.Rates, name string, pause func()) {
	pause()
	r.Add(name, 1)
}

// Rate returns a rate.
func Rate(r *rates.Rates, name string) int { return r.Get(name) }
