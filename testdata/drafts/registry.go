// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package drafts

import "sync"

// A Registry has one gauge for each name.
type Registry struct {
	mu     sync.RWMutex
	gauges map[string]*Gauge
}

// A Gauge is what a registry has.
type Gauge struct{ Name string }

// NewRegistry makes an empty registry.
func NewRegistry() *Registry { return &Registry{gauges: make(map[string]*Gauge)} }

func (r *Registry) Lookup(name string) *Gauge {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.gauges[name]
}

func (r *Registry) Register(name string, g *Gauge) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gauges[name] = g
}

// GetOrCreate looks again before it creates.
func (r *Registry) GetOrCreate(name string, create func() *Gauge) *Gauge {
	r.mu.RLock()
	g := r.gauges[name]
	r.mu.RUnlock()
	if g != nil {
		return g
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if g = r.gauges[name]; g == nil {
		g = create()
		r.gauges[name] = g
	}
	return g
}
