// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"sync"
	"testing"
)

// lostUpdate reads a counter in one critical section, and sets it in the next one.
func lostUpdate(t *testing.T, right bool) {
	var mu sync.Mutex
	n := 0
	add := func() {
		mu.Lock()
		v := n
		if !right {
			mu.Unlock()
			mu.Lock()
		}
		n = v + 1
		mu.Unlock()
	}
	together(add, add)
	if n != 2 {
		t.Errorf("2 were added, and there are %d", n)
	}
}

func TestWrongLostUpdate(t *testing.T) { wrong(t); lostUpdate(t, false) }
func TestRightLostUpdate(t *testing.T) { lostUpdate(t, true) }

// checkThenAct makes an entry that it has not found, though another goroutine may have made it.
func checkThenAct(t *testing.T, right bool) {
	var mu sync.Mutex
	made := 0
	entries := make(map[string]*int)
	get := func() *int {
		mu.Lock()
		e := entries["key"]
		mu.Unlock()
		if e != nil {
			return e
		}
		mu.Lock()
		defer mu.Unlock()
		if e := entries["key"]; right && e != nil {
			return e
		}
		made++
		entries["key"] = &made
		return &made
	}
	together(func() { get() }, func() { get() })
	if made != 1 {
		t.Errorf("the entry was made %d times", made)
	}
}

func TestWrongCheckThenAct(t *testing.T) { wrong(t); checkThenAct(t, false) }
func TestRightCheckThenAct(t *testing.T) { checkThenAct(t, true) }

// tornPair changes two numbers whose sum stays, in two critical sections.
func tornPair(t *testing.T, right bool) {
	var mu sync.Mutex
	a, b := 100, 0
	together(func() {
		mu.Lock()
		a -= 10
		if !right {
			mu.Unlock()
			mu.Lock()
		}
		b += 10
		mu.Unlock()
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		if a+b != 100 {
			t.Errorf("the sum is %d", a+b)
		}
	})
}

func TestWrongTornPair(t *testing.T) { wrong(t); tornPair(t, false) }
func TestRightTornPair(t *testing.T) { tornPair(t, true) }

// lockOrder takes two locks in two orders.
func lockOrder(t *testing.T, right bool) {
	var a, b sync.Mutex
	n := 0
	both := func(first, second *sync.Mutex) func() {
		return func() {
			first.Lock()
			second.Lock()
			n++
			second.Unlock()
			first.Unlock()
		}
	}
	if right {
		together(both(&a, &b), both(&a, &b))
	} else {
		together(both(&a, &b), both(&b, &a))
	}
	if n != 2 {
		t.Errorf("2 were added, and there are %d", n)
	}
}

func TestWrongLockOrder(t *testing.T) { wrong(t); lockOrder(t, false) }
func TestRightLockOrder(t *testing.T) { lockOrder(t, true) }

// upgrade lets a lock go that it has for reading, and takes it for writing.
func upgrade(t *testing.T, right bool) {
	var mu sync.RWMutex
	made := 0
	ready := false
	get := func() {
		mu.RLock()
		ok := ready
		mu.RUnlock()
		if ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if right && ready {
			return
		}
		made++
		ready = true
	}
	together(get, get)
	if made != 1 {
		t.Errorf("it was made %d times", made)
	}
}

func TestWrongUpgrade(t *testing.T) { wrong(t); upgrade(t, false) }
func TestRightUpgrade(t *testing.T) { upgrade(t, true) }

// readTwice takes a lock for reading that it has already: a writer in between waits for the first,
// and the second one for the writer.
func readTwice(_ *testing.T, right bool) {
	var mu sync.RWMutex
	n := 0
	together(func() {
		mu.RLock()
		defer mu.RUnlock()
		if !right {
			mu.RLock()
			defer mu.RUnlock()
		}
		_ = n
	}, func() {
		mu.Lock()
		defer mu.Unlock()
		n++
	})
}

func TestWrongReadTwice(t *testing.T) { wrong(t); readTwice(t, false) }
func TestRightReadTwice(t *testing.T) { readTwice(t, true) }

// overdraft looks at a balance, and then takes from it.
func overdraft(t *testing.T, right bool) {
	var mu sync.Mutex
	balance := 100
	take := func() {
		mu.Lock()
		enough := balance >= 80
		mu.Unlock()
		if !enough {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if right && balance < 80 {
			return
		}
		balance -= 80
	}
	together(take, take)
	if balance < 0 {
		t.Errorf("the balance is %d", balance)
	}
}

func TestWrongOverdraft(t *testing.T) { wrong(t); overdraft(t, false) }
func TestRightOverdraft(t *testing.T) { overdraft(t, true) }

// staleCache puts into a cache what was deleted since it was read.
func staleCache(t *testing.T, right bool) {
	var mu sync.Mutex
	store := map[string]int{"key": 1}
	cache := make(map[string]int)
	version := 0
	get := func() {
		mu.Lock()
		v, ok := store["key"]
		seen := version
		mu.Unlock()
		if !ok {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if !right || seen == version {
			cache["key"] = v
		}
	}
	remove := func() {
		mu.Lock()
		defer mu.Unlock()
		delete(store, "key")
		delete(cache, "key")
		version++
	}
	together(get, remove)
	if _, ok := cache["key"]; ok {
		t.Error("the cache has what was deleted")
	}
}

func TestWrongStaleCache(t *testing.T) { wrong(t); staleCache(t, false) }
func TestRightStaleCache(t *testing.T) { staleCache(t, true) }
