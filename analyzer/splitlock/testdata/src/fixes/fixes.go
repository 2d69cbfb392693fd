// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fixes has pairs with a fix, and pairs that may have none.
package fixes

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// T has what locks guard.
type T struct {
	mu     sync.Mutex
	rw     sync.RWMutex
	n, max int
	m      map[int]int
	list   []int
	other  *T
	flag   atomic.Bool
	count  atomic.Int64
	ucount atomic.Uint32
	where  atomic.Pointer[int]
}

// Functions are all that have a pair.
var Functions = []func(t *T, k, n int) any{inARow, withGap, deferred, forReading, inIf, inIfReading,
	earlyReturn, returnsBetween, unknownCall, otherLock, mayPanic, divides, indexes, channel,
	commented, loops, pointers, helperGap, twoUnlocks, readTwice, addOne, addNamed,
	addUsed, addTwice, addApart, subtract, subtractVar,
	unsigned, setFlag, setAlone, flagReturn, notFlag, compare, notEqual, pointer, changedBetween,
	elseBranch, panics, address}

func inARow(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	t.mu.Lock()
	t.n = v + n
	t.mu.Unlock()
	return v
}

func withGap(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()

	s := strconv.Itoa(v)
	if len(s) > 1 {
		v += n
	}
	t.mu.Lock()
	t.n = v + 1
	t.mu.Unlock()
	return s
}

func deferred(t *T, k, n int) any {
	t.mu.Lock()
	v := t.m[k]
	t.mu.Unlock()
	v += n
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
	return v
}

func forReading(t *T, k, n int) any {
	t.rw.RLock()
	v := t.n
	t.rw.RUnlock()
	v++
	t.rw.Lock()
	t.n = v
	t.rw.Unlock()
	return v
}

func inIf(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	if v < n {
		t.mu.Lock()
		t.n = v + 1
		t.mu.Unlock()
	}
	return v
}

func inIfReading(t *T, k, n int) any {
	t.rw.RLock()
	v, ok := t.m[k]
	t.rw.RUnlock()
	if ok {
		t.rw.Lock()
		t.m[k] = v + 1
		t.rw.Unlock()
	}
	return v
}

// The first section ends in two places.
func earlyReturn(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	if v > n {
		t.mu.Unlock()
		return nil
	}
	t.mu.Unlock()
	t.mu.Lock()
	t.n = v + 1
	t.mu.Unlock()
	return v
}

func returnsBetween(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	if v > n {
		return nil
	}
	t.mu.Lock()
	t.n = v + 1
	t.mu.Unlock()
	return v
}

func unknownCall(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	s := fmt.Sprint(v)
	t.mu.Lock()
	t.n = v + len(s)
	t.mu.Unlock()
	return v
}

func otherLock(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	t.rw.Lock()
	v += t.max
	t.rw.Unlock()
	t.mu.Lock()
	t.n = v
	t.mu.Unlock()
	return v
}

func mayPanic(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	v += t.other.max
	t.mu.Lock()
	t.n = v
	t.mu.Unlock()
	return v
}

func divides(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	v /= n
	t.mu.Lock()
	t.n = v
	t.mu.Unlock()
	return v
}

func indexes(t *T, k, n int) any {
	list := []int{1, 2}
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	v += list[n]
	t.mu.Lock()
	t.n = v
	t.mu.Unlock()
	return v
}

func channel(t *T, k, n int) any {
	c := make(chan int, 1)
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	c <- v
	t.mu.Lock()
	t.n = v + 1
	t.mu.Unlock()
	return v
}

func commented(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock() // others may come
	t.mu.Lock()
	t.n = v + 1
	t.mu.Unlock()
	return v
}

func loops(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	for i := range n {
		t.mu.Lock()
		t.n = v + i
		t.mu.Unlock()
	}
	return v
}

func pointers(t *T, k, n int) any {
	u := t
	u.mu.Lock()
	v := u.n
	u.mu.Unlock()
	u = u.other
	if u == nil {
		u = t
	}
	u.mu.Lock()
	u.n = v + 1
	u.mu.Unlock()
	return v
}

func helperGap(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	v = double(v)
	t.mu.Lock()
	t.n = v
	t.mu.Unlock()
	return v
}

func double(n int) int { return 2 * n }

func twoUnlocks(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	if v < n {
		t.mu.Lock()
		if v == 0 {
			t.mu.Unlock()
			return nil
		}
		t.n = v + 1
		t.mu.Unlock()
	}
	return v
}

// Who has the lock for reading may take it so again.
func readTwice(t *T, k, n int) any {
	t.rw.RLock()
	v := t.n + readMax(t)
	t.rw.RUnlock()
	t.rw.Lock()
	t.n = v
	t.rw.Unlock()
	return v
}

func readMax(t *T) int {
	t.rw.RLock()
	defer t.rw.RUnlock()
	return t.max
}

func addOne(t *T, k, n int) any {
	t.count.Store(t.count.Load() + int64(n))
	t.count.Store(t.count.Load() + 1)
	return nil
}

func addNamed(t *T, k, n int) any {
	old := t.count.Load()
	t.count.Store(old + 5)
	return nil
}

func addUsed(t *T, k, n int) any {
	old := t.count.Load()
	t.count.Store(old + 5)
	return old
}

func addTwice(t *T, k, n int) any {
	old := t.count.Load()
	t.count.Store(old + old)
	return nil
}

func addApart(t *T, k, n int) any {
	old := t.count.Load()
	k++
	t.count.Store(old + 5)
	return k
}

func subtract(t *T, k, n int) any {
	t.count.Store(t.count.Load() - 3)
	return nil
}

func subtractVar(t *T, k, n int) any {
	d := int64(n)
	t.count.Store(t.count.Load() - d)
	return nil
}

func unsigned(t *T, k, n int) any {
	t.ucount.Store(1 + t.ucount.Load())
	t.ucount.Store(t.ucount.Load() - 1)
	return nil
}

func setFlag(t *T, k, n int) any {
	if !t.flag.Load() {
		t.flag.Store(true)
		work(t, n)
		return "set"
	}
	return nil
}

func work(t *T, n int) { t.list = append(t.list, n) }

func setAlone(t *T, k, n int) any {
	if t.count.Load() == 0 {
		t.count.Store(7)
	}
	return nil
}

func flagReturn(t *T, k, n int) any {
	if t.flag.Load() {
		return nil
	}
	t.flag.Store(true)
	work(t, n)
	return "set"
}

func notFlag(t *T, k, n int) any {
	if !t.flag.Load() {
		return nil
	}
	t.flag.Store(false)
	work(t, n)
	return "unset"
}

func compare(t *T, k, n int) any {
	old := int64(k)
	if t.count.Load() == old {
		t.count.Store(5)
		work(t, n)
	}
	return nil
}

func notEqual(t *T, k, n int) any {
	if t.count.Load() != 2 {
		return nil
	}
	t.count.Store(3)
	work(t, n)
	return "was 2"
}

func pointer(t *T, k, n int) any {
	p := new(int)
	if t.where.Load() == nil {
		t.where.Store(p)
		work(t, n)
	}
	return t.where.Load() == p
}

// Something is between, which may store.
func changedBetween(t *T, k, n int) any {
	if t.count.Load() == 0 {
		addOne(t, k, n)
		t.count.Store(9)
	}
	return nil
}

func elseBranch(t *T, k, n int) any {
	if t.count.Load() == 0 {
		t.count.Store(9)
		work(t, n)
	} else {
		t.n--
	}
	return nil
}

func panics(t *T, k, n int) any {
	if t.flag.Load() {
		panic("set")
	}
	t.flag.Store(true)
	work(t, n)
	return nil
}

// Even the address may be that of nothing.
func address(t *T, k, n int) any {
	t.mu.Lock()
	v := t.n
	t.mu.Unlock()
	p := &t.other.max
	t.mu.Lock()
	t.n = v + *p
	t.mu.Unlock()
	return v
}
