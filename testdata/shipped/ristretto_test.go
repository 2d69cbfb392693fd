// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package shipped

import (
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/ristretto/v2"
)

func newRistretto(t *testing.T, config ristretto.Config[string, int]) *ristretto.Cache[string, int] {
	config.NumCounters, config.BufferItems = 1000, 64
	if config.MaxCost == 0 {
		config.MaxCost = 1 << 20
	}
	c, err := ristretto.NewCache(&config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.Set("there", 0, 1)
	c.Wait()
	return c
}

func TestRaceRistrettoSets(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	both(func(i int) { c.Set("there", 1+i, 1) })
}

func TestRaceRistrettoSetWithTTL(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	concurrently(func() { c.SetWithTTL("there", 1, 1, time.Hour) }, func() { c.Set("there", 2, 1) })
}

func TestNoRaceRistrettoOtherKeys(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	both(func(i int) {
		k := []string{"a", "b"}[i]
		c.Set(k, i, 1)
		c.Wait()
		c.Get(k)
		c.Del(k)
	})
}

func TestNoRaceRistrettoEqualValues(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	both(func(int) {
		c.Set("there", 7, 1)
		c.SetWithTTL("k", 7, 1, time.Hour)
	})
}

// TestNoRaceRistrettoFill has two goroutines that find nothing, and fill in the same.
func TestNoRaceRistrettoFill(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	both(func(int) {
		if _, ok := c.Get("k"); !ok {
			c.Set("k", 7, 1)
		}
	})
}

func TestNoRaceRistrettoDels(t *testing.T) {
	c := newRistretto(t, ristretto.Config[string, int]{})
	both(func(int) {
		c.Del("there")
		c.Get("there")
	})
}

// TestNoRaceRistrettoReject has a registry of what is in the cache. What is rejected was set before.
func TestNoRaceRistrettoReject(t *testing.T) {
	var registry sync.Map
	c := newRistretto(t, ristretto.Config[string, int]{
		MaxCost:            10,
		IgnoreInternalCost: true,
		OnReject:           func(item *ristretto.Item[int]) { registry.Delete(item.Value) },
	})
	registry.Store(5, true)
	c.Set("k", 5, 100)
	c.Wait()
	if _, ok := registry.Load(5); ok {
		t.Error("not rejected")
	}
}

// TestNoRaceRistrettoExit is the same with a value that is replaced.
func TestNoRaceRistrettoExit(t *testing.T) {
	var registry sync.Map
	c := newRistretto(t, ristretto.Config[string, int]{OnExit: func(v int) { registry.Delete(v) }})
	var mu sync.Mutex
	both(func(i int) {
		mu.Lock()
		registry.Store(i+1, true)
		c.Set("there", i+1, 1)
		mu.Unlock()
	})
}
