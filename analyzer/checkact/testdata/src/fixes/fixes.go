// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

// Package fixes has pairs with a fix, and pairs that may have none.
package fixes

import (
	"strconv"
	"sync"
)

// Functions are all that have a pair; each gets a map, a key and a value.
var Functions = []func(m *sync.Map, k, n int) any{onlyStores, orReturn, orReturnAny, constantValue,
	afterwards, fresh, takeOut, takeOutOrReturn, takeOutElse, deleteAlone, deleteSame, deleteSmall, sweep,
	inLoop, commented, called, replaced, otherwise, other, changed, twice, floats, kept, result,
	unasserted, again, shadowed, embedded, moved, reads,
	countsToo, floatsAsserted, loadThenDelete, loadThenMore, onlyCondition, onlyAssigned,
	betweenThem}

func onlyStores(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); !ok {
		m.Store(k, n)
	}
	return nil
}

func orReturn(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v.(int)
	}
	w := n + 1
	m.Store(k, w)
	return w
}

func orReturnAny(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if !ok {
		v = any(n)
		m.Store(k, v)
	}
	return v
}

func constantValue(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		return false
	}
	m.Store(k, 7)
	return true
}

func afterwards(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v
	}
	w := n
	m.Store(k, w)
	w++
	return w
}

func fresh(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); !ok {
		m.Store(k, strconv.Itoa(n))
	}
	return nil
}

func takeOut(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		m.Delete(k)
		return v
	}
	return nil
}

func takeOutOrReturn(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if !ok {
		return "none"
	}
	m.Delete(k)
	return v
}

func takeOutElse(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		m.Delete(k)
	} else {
		return n
	}
	return nil
}

func deleteAlone(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		m.Delete(k)
	}
	return nil
}

func deleteSame(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if s, isInt := v.(int); ok && isInt && s == n {
		m.Delete(k)
	}
	if ok && v.(int) < n {
		m.Delete(k)
	}
	return nil
}

func deleteSmall(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if ok && v.(int) < n {
		m.Delete(k)
	}
	return nil
}

func sweep(m *sync.Map, k, n int) any {
	m.Range(func(key, v any) bool {
		if v.(int) < n {
			m.Delete(key)
		}
		return true
	})
	return nil
}

func inLoop(m *sync.Map, k, n int) any {
	for i := range n {
		if _, ok := m.Load(i); ok {
			continue
		}
		w := i * n
		m.Store(i, w)
	}
	return nil
}

func commented(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); !ok { // it is new
		m.Store(k, n)
	}
	return nil
}

// What is called may store.
func called(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); !ok {
		put(m, k, n)
		m.Store(k, n+1)
	}
	return nil
}

func put(m *sync.Map, k, n int) { m.Store(k, n) }

// It stores where something is, too.
func replaced(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); !ok || v.(int) < n {
		m.Store(k, n)
	}
	return nil
}

func otherwise(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		m.Store(k, n)
	}
	return nil
}

// The value is returned, and counts as well.
func other(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v
	}
	w := n
	m.Store(k, w)
	total(w)
	return w
}

func total(n int) {}

// The map is written in between.
func changed(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if !ok || v.(int) > n {
		return nil
	}
	m.Store(k, n)
	m.Delete(k)
	return v
}

// The act is made twice for a check.
func twice(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		return nil
	}
	for i := range 3 {
		m.Store(k, i)
	}
	return nil
}

// A number that is none isn't equal to itself.
func floats(m *sync.Map, k, n int) any {
	m.Range(func(key, v any) bool {
		if f, ok := v.(float64); ok && f != 0 {
			m.Delete(key)
		}
		return true
	})
	return nil
}

type object struct{ n int }

var last *object

// The object is used by others.
func kept(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		return nil
	}
	o := &object{n}
	last = o
	m.Store(k, o)
	o.n++
	return o.n
}

// Each return uses the variable.
func result(m *sync.Map, k, n int) (w any) {
	if v, ok := m.Load(k); ok {
		return v
	}
	w = n
	m.Store(k, w)
	return
}

// The type in the map is not known.
func unasserted(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v
	}
	w := n
	m.Store(k, w)
	return w
}

// What is asserted may fail.
func again(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		i, _ := v.(int)
		return i
	}
	w := n
	m.Store(k, w)
	return w
}

// The type's name means something else.
func shadowed(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v.(int)
	}
	w := n
	{
		type int string
		m.Store(k, w)
		return w
	}
}

// A bag has another method of that name.
type bag struct{ *sync.Map }

func (b bag) LoadOrStore(k, v any) { b.Store(k, 0) }

func embedded(m *sync.Map, k, n int) any {
	return inBag(bag{m}, k, n)
}

func inBag(b bag, k, n int) any {
	if _, ok := b.Load(k); ok {
		return nil
	}
	b.Store(k, n)
	return n
}

// The deletion is not the first thing.
func moved(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); ok {
		total(n)
		m.Delete(k)
	}
	return nil
}

// What is read may be written by others.
func reads(m *sync.Map, k, n int) any {
	if _, ok := m.Load(k); !ok {
		m.Store(k, last)
	}
	return nil
}

// The value is returned, and counts as well.
func countsToo(m *sync.Map, k, n int) any {
	if v, ok := m.Load(k); ok {
		return v.(int)
	}
	w := n
	m.Store(k, w)
	total(w)
	return w
}

// A number that is none isn't equal to itself.
func floatsAsserted(m *sync.Map, k, n int) any {
	m.Range(func(key, v any) bool {
		if v.(float64) != 0 {
			m.Delete(key)
		}
		return true
	})
	return nil
}

func loadThenDelete(m *sync.Map, k, n int) any {
	return [2]any{loadAndDelete(m, k)}
}

func loadAndDelete(m *sync.Map, k int) (v any) {
	v, ok := m.Load(k)
	if ok {
		m.Delete(k)
	}
	if !ok {
		return "none"
	}
	return v
}

func loadThenMore(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if ok {
		m.Delete(k)
		total(n)
	}
	return v
}

// Without the branch nothing uses ok.
func onlyCondition(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	if ok {
		m.Delete(k)
	}
	return v
}

// Without the branch nothing would use ok, which was declared elsewhere.
func onlyAssigned(m *sync.Map, k, n int) any {
	var ok bool
	v, ok := m.Load(k)
	if ok {
		m.Delete(k)
	}
	return v
}

// What is between may see the difference.
func betweenThem(m *sync.Map, k, n int) any {
	v, ok := m.Load(k)
	_, there := m.Load(k)
	if ok {
		m.Delete(k)
	}
	return [2]any{v, there && ok}
}
