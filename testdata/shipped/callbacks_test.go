// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/patrickmn/go-cache"
	"golang.org/x/sync/singleflight"
)

// The functions that a cache calls for evictions, and those that a group calls in the background, are the program's:
// what they synchronize counts.

func TestNoRaceLRUEvict(t *testing.T) {
	var registry sync.Map
	gone := make(chan int, 10)
	c, _ := lru.NewWithEvict(1, func(k, _ int) { gone <- k })
	concurrently(func() {
		for k := range 2 {
			registry.Store(k, true)
			c.Add(k, k)
		}
	}, func() { registry.Delete(<-gone) })
}

func TestNoRaceGoCacheEvict(t *testing.T) {
	var registry sync.Map
	gone := make(chan string, 10)
	c := cache.New(cache.NoExpiration, 0)
	c.OnEvicted(func(k string, _ any) { gone <- k })
	concurrently(func() {
		registry.Store("k", true)
		c.SetDefault("k", 1)
		c.Delete("k")
	}, func() { registry.Delete(<-gone) })
}

// TestNoRaceSingleflightDoChan has a Do that waits for the function of a DoChan.
func TestNoRaceSingleflightDoChan(t *testing.T) {
	var g singleflight.Group
	var m sync.Map
	started, release := make(chan bool), make(chan bool)
	concurrently(func() {
		g.DoChan("k", func() (any, error) {
			close(started)
			<-release
			m.Store("k", 1)
			return nil, nil
		})
	}, func() {
		<-started
		time.AfterFunc(50*time.Millisecond, func() { close(release) })
		_, _, _ = g.Do("k", func() (any, error) { return nil, nil })
		m.Load("k")
	})
}
