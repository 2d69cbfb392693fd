// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package disk implements an interface of another package, which specifies it.
package disk

import (
	"errors"
	"sync"

	"github.com/commutego/commute/testdata/annotations/store"
)

type kv struct {
	m    sync.Map
	full bool
}

// New returns a KV; one that is full takes nothing.
func New(full bool) store.KV { return &kv{full: full} }

func (kv *kv) Set(k string, v int) error {
	if kv.full {
		return errors.New("full")
	}
	kv.m.Store(k, v)
	return nil
}

func (kv *kv) Get(k string) (int, bool) {
	v, ok := kv.m.Load(k)
	n, _ := v.(int)
	return n, ok
}

func (kv *kv) Count() (n int) {
	kv.m.Range(func(any, any) bool { n++; return true })
	return n
}
