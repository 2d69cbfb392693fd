// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package explore

import (
	"sync"
	"sync/atomic"
	"testing"
)

// publication says that something is ready before it is.
func publication(t *testing.T, right bool) {
	var ready atomic.Bool
	var value atomic.Int32
	together(func() {
		if right {
			value.Store(1)
			ready.Store(true)
		} else {
			ready.Store(true)
			value.Store(1)
		}
	}, func() {
		if ready.Load() && value.Load() != 1 {
			t.Error("it is ready, and has no value")
		}
	})
}

func TestWrongPublication(t *testing.T) { wrong(t); publication(t, false) }
func TestRightPublication(t *testing.T) { publication(t, true) }

// limit counts those that are inside, and lets too many in.
func limit(t *testing.T, right bool) {
	var inside, most atomic.Int32
	enter := func() bool {
		for {
			n := inside.Load()
			if n >= 1 {
				return false
			}
			if !right {
				inside.Add(1)
				return true
			}
			if inside.CompareAndSwap(n, n+1) {
				return true
			}
		}
	}
	work := func() {
		if !enter() {
			return
		}
		if n := inside.Load(); n > most.Load() {
			most.Store(n)
		}
		inside.Add(-1)
	}
	together(work, work)
	if most.Load() > 1 {
		t.Errorf("%d were inside", most.Load())
	}
}

func TestWrongLimit(t *testing.T) { wrong(t); limit(t, false) }
func TestRightLimit(t *testing.T) { limit(t, true) }

// number gives two goroutines the same number.
func number(t *testing.T, right bool) {
	var next atomic.Int32
	var got [2]int32
	take := func(i int) func() {
		return func() {
			if right {
				got[i] = next.Add(1)
				return
			}
			got[i] = next.Load() + 1
			next.Store(got[i])
		}
	}
	together(take(0), take(1))
	if got[0] == got[1] {
		t.Errorf("both have number %d", got[0])
	}
}

func TestWrongNumber(t *testing.T) { wrong(t); number(t, false) }
func TestRightNumber(t *testing.T) { number(t, true) }

// aba takes the top of a stack whose elements come back: a CompareAndSwap finds what it has read,
// though the stack has changed. The stack is 1, 2, 3, by the numbers of elements; each word has the
// top in its lower byte and, where that is right, counts changes above.
func aba(t *testing.T, right bool) {
	var top atomic.Uint32
	var next [4]atomic.Uint32
	top.Store(1)
	next[1].Store(2)
	next[2].Store(3)
	change := func(old, to uint32) bool {
		count := old &^ 0xff
		if right {
			count += 0x100
		}
		return top.CompareAndSwap(old, count|to)
	}
	pop := func() uint32 {
		for {
			old := top.Load()
			if old&0xff == 0 {
				return 0
			}
			if change(old, next[old&0xff].Load()) {
				return old & 0xff
			}
		}
	}
	push := func(e uint32) {
		for {
			old := top.Load()
			next[e].Store(old & 0xff)
			if change(old, e) {
				return
			}
		}
	}
	var a, b, c uint32
	together(func() { a = pop() }, func() {
		b = pop()
		c = pop()
		if b != 0 {
			push(b)
		}
	})
	seen := make(map[uint32]int)
	for e := pop(); e != 0 && len(seen) < 10; e = pop() {
		seen[e]++
	}
	if seen[a] > 0 || seen[c] > 0 {
		t.Errorf("%d, %d and %d were taken, %d was put back, and the stack had %v", a, b, c, b,
			seen)
	}
}

func TestWrongABA(t *testing.T) { wrong(t); aba(t, false) }
func TestRightABA(t *testing.T) { aba(t, true) }

// once makes something that is to be made once.
func once(t *testing.T, right bool) {
	var done atomic.Bool
	var made atomic.Int32
	var o sync.Once
	get := func() {
		if right {
			o.Do(func() { made.Add(1) })
			return
		}
		if !done.Load() {
			made.Add(1)
			done.Store(true)
		}
	}
	together(get, get)
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
}

func TestWrongOnce(t *testing.T) { wrong(t); once(t, false) }
func TestRightOnce(t *testing.T) { once(t, true) }

// snapshot reads a pointer twice, and takes a part from each of what it finds.
func snapshot(t *testing.T, right bool) {
	type pair struct{ a, b int }
	var current atomic.Pointer[pair]
	current.Store(&pair{1, 1})
	together(func() { current.Store(&pair{2, 2}) }, func() {
		p := current.Load()
		q := p
		if !right {
			q = current.Load()
		}
		if p.a != q.b {
			t.Errorf("a is %d, and b %d", p.a, q.b)
		}
	})
}

func TestWrongSnapshot(t *testing.T) { wrong(t); snapshot(t, false) }
func TestRightSnapshot(t *testing.T) { snapshot(t, true) }

// references takes a reference to something whose last one is being given back.
func references(t *testing.T, right bool) {
	var count atomic.Int32
	var freed atomic.Bool
	count.Store(1)
	together(func() {
		if count.Add(-1) == 0 {
			freed.Store(true)
		}
	}, func() {
		for {
			n := count.Load()
			if n == 0 {
				return
			}
			if !right {
				count.Add(1)
				break
			}
			if count.CompareAndSwap(n, n+1) {
				break
			}
		}
		if freed.Load() {
			t.Error("it is used after it was freed")
		}
		if count.Add(-1) == 0 {
			freed.Store(true)
		}
	})
}

func TestWrongReferences(t *testing.T) { wrong(t); references(t, false) }
func TestRightReferences(t *testing.T) { references(t, true) }

// syncMap counts in a sync.Map.
func syncMap(t *testing.T, right bool) {
	var m sync.Map
	m.Store("key", 0)
	add := func() {
		for {
			v, _ := m.Load("key")
			if !right {
				m.Store("key", v.(int)+1)
				return
			}
			if m.CompareAndSwap("key", v, v.(int)+1) {
				return
			}
		}
	}
	together(add, add)
	if v, _ := m.Load("key"); v != 2 {
		t.Errorf("2 were added, and there are %v", v)
	}
}

func TestWrongSyncMap(t *testing.T) { wrong(t); syncMap(t, false) }
func TestRightSyncMap(t *testing.T) { syncMap(t, true) }
