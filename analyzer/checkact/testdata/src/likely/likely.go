// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package likely has pairs that do harm, and twins in which two acts have the effect of one.
package likely

import (
	"regexp"
	"sync"
)

type entry struct {
	name string
	n    int
}

type cache struct {
	m      sync.Map
	prefix string
}

func (c *cache) constant(k string) {
	if _, ok := c.m.Load(k); !ok {
		c.m.Store(k, true)
	}
}

func (c *cache) ofTheKey(k string) any {
	v, ok := c.m.Load(k)
	if !ok {
		v = entry{name: c.prefix + k}
		c.m.Store(k, v)
	}
	return v
}

func (c *cache) ofMore(k string, n int) any {
	v, ok := c.m.Load(k)
	if !ok {
		v = entry{k, n}
		c.m.Store(k, v) // want `use LoadOrStore`
	}
	return v
}

func (c *cache) keyOfAll(k string, n int) any {
	key := entry{k, n}
	v, ok := c.m.Load(key)
	if !ok {
		v = entry{k, n + 1}
		c.m.Store(key, v)
	}
	return v
}

func (c *cache) object(k string) *entry {
	if v, ok := c.m.Load(k); ok {
		return v.(*entry)
	}
	e := &entry{name: k}
	c.m.Store(k, e) // want `use LoadOrStore`
	return e
}

func newEntry(k string) *entry { return &entry{name: k} }

func (c *cache) made(k string) *entry {
	if v, ok := c.m.Load(k); ok {
		return v.(*entry)
	}
	e := newEntry(k)
	c.m.Store(k, e) // want `use LoadOrStore`
	return e
}

func (c *cache) pattern(k string) *regexp.Regexp {
	if v, ok := c.m.Load(k); ok {
		return v.(*regexp.Regexp)
	}
	re := regexp.MustCompile(k)
	c.m.Store(k, re)
	return re
}

func (c *cache) add(k string, n int) {
	v, _ := c.m.Load(k)
	old, _ := v.(int)
	c.m.Store(k, old+n) // want `use CompareAndSwap`
}

func (c *cache) drop(k string) {
	if _, ok := c.m.Load(k); ok {
		c.m.Delete(k)
	}
}

func (c *cache) take(k string) any {
	v, ok := c.m.Load(k)
	if ok {
		c.m.Delete(k) // want `use LoadAndDelete`
	}
	return v
}

func (c *cache) expireLater(n int) {
	var old []string
	c.m.Range(func(k, v any) bool {
		if v.(int) < n {
			old = append(old, k.(string))
		}
		return true
	})
	for _, k := range old {
		c.m.Delete(k) // want `use CompareAndDelete`
	}
}

func (c *cache) expire(n int) {
	c.m.Range(func(k, v any) bool {
		if v.(int) < n {
			c.m.Delete(k) // want `use CompareAndDelete`
		}
		return true
	})
}
