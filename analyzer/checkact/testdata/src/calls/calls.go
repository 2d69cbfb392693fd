// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package calls

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
)

var global sync.Map

type server struct {
	cache, other sync.Map
	shared       *sync.Map
	name         string
}

type request struct{ id, user string }

type embedding struct{ sync.Map }

func use(...any) {}

func compute(any) any { return nil }

// What is found.

func loadThenStore(m *sync.Map, k string) {
	if _, ok := m.Load(k); !ok {
		m.Store(k, 1) // want "Load -1, Store"
	}
}

func loadThenReturn(m *sync.Map, k string) any {
	if v, ok := m.Load(k); ok {
		return v
	}
	v := compute(k)
	m.Store(k, v) // want "Load -4, Store"
	return v
}

func loadThenDelete(m *sync.Map, k string) {
	v, _ := m.Load(k)
	if v == nil {
		return
	}
	m.Delete(k) // want "Load -4, Delete"
}

func byData(m *sync.Map, k string) {
	v, _ := m.Load(k)
	n, _ := v.(int)
	m.Store(k, n+1) // want "Load -2, Store"
}

func bySwitch(m *sync.Map, k string) {
	v, _ := m.Load(k)
	switch v {
	case 1:
		m.Store(k, 2) // want "Load -3, Store"
	case 2:
		m.Delete(k) // want "Load -5, Delete"
	default:
		use(v)
	}
}

func byTypeSwitch(m *sync.Map, k string) {
	v, _ := m.Load(k)
	switch v.(type) {
	case nil:
		m.Store(k, 2) // want "Load -3, Store"
	case int:
		use(v)
	}
}

func byError(m *sync.Map, k string) error {
	var err error
	if _, ok := m.Load(k); ok {
		err = errors.New("exists")
	}
	if err != nil {
		return err
	}
	m.Store(k, 1) // want "Load -6, Store"
	return nil
}

func byFlag(m *sync.Map, k string) {
	found := false
	v, ok := m.Load(k)
	if ok && v == 1 {
		found = true
	}
	use(k)
	if !found {
		m.Store(k, 1) // want "Load -6, Store"
	}
}

func byCall(m *sync.Map, k string) {
	v, _ := m.Load(k)
	m.Store(k, compute(v)) // want "Load -1, Store"
}

func byAddress(m *sync.Map, k string) error {
	v, _ := m.Load(k)
	var r request
	if err := json.Unmarshal(v.([]byte), &r); err != nil {
		return err
	}
	r.user = "x"
	m.Store(k, r) // want "Load -6, Store"
	return nil
}

func byFields(m *sync.Map, k string) {
	v, _ := m.Load(k)
	r := &request{}
	r.user = v.(string)
	keep = r
	m.Store(k, r.user) // want "Load -4, Store"
}

var keep *request

func retry(m *sync.Map, k string) {
	ok := false
	for !ok {
		m.Store(k, 1) // want `Load \+1, Store`
		_, ok = m.Load(k)
	}
}

func waits(m *sync.Map, k string) {
	for {
		if _, ok := m.Load(k); !ok {
			break
		}
	}
	m.Store(k, 1) // want "Load -4, Store"
}

func inLoop(m *sync.Map, keys []string) {
	for _, k := range keys {
		if _, ok := m.Load(k); ok {
			continue
		}
		m.Store(k, 1) // want "Load -3, Store"
	}
}

func searched(m *sync.Map, keys []string) {
	found := false
	for _, k := range keys {
		if _, ok := m.Load("first"); ok {
			use(k)
			found = true
			break
		}
	}
	if !found {
		m.Store("first", 1) // want "Load -7, Store"
	}
}

func fields(s *server, r *request) {
	if _, ok := s.cache.Load(r.id); !ok {
		s.cache.Store(r.id, 1) // want "Load -1, Store"
	}
	if _, ok := s.shared.Load(r.id); !ok {
		s.shared.Store(r.id, 1) // want "Load -1, Store"
	}
}

func globals() {
	if _, ok := global.Load("a"); !ok {
		global.Store("a", 1) // want "Load -1, Store"
	}
}

func embedded(e *embedding) {
	if _, ok := e.Load("a"); !ok {
		e.Store("a", 1) // want "Load -1, Store"
	}
}

func pureKeys(m *sync.Map, a, b int, s string) {
	if _, ok := m.Load(a + b); !ok {
		m.Store(a+b, 1) // want "Load -1, Store"
	}
	if _, ok := m.Load("x/" + s); !ok {
		m.Store("x/"+s, 1) // want "Load -1, Store"
	}
}

func clears(m *sync.Map) {
	if _, ok := m.Load("a"); !ok {
		m.Clear() // want "Load -1, Clear"
	}
}

func inLiteral(m *sync.Map) func(string) {
	return func(k string) {
		if _, ok := m.Load(k); !ok {
			m.Store(k, 1) // want "Load -1, Store"
		}
	}
}

func local() {
	var m sync.Map
	done := make(chan bool)
	go func() {
		if _, ok := m.Load("k"); !ok {
			m.Store("k", 1) // want "Load -1, Store"
		}
		done <- true
	}()
	<-done
}

func generic[K comparable](m *sync.Map, k K) {
	if _, ok := m.Load(k); !ok {
		m.Store(k, 1) // want "Load -1, Store"
	}
}

func collected(m *sync.Map) {
	var keys []any
	m.Range(func(k, v any) bool {
		if v == nil {
			keys = append(keys, k)
		}
		return true
	})
	for _, k := range keys {
		m.Delete(k) // want "Range -7, Delete"
	}
}

func counted(m *sync.Map) {
	n := 0
	m.Range(func(k, v any) bool {
		n++
		return true
	})
	if n < 10 {
		m.Store("next", n) // want "Range -5, Store"
	}
}

func inCallback(m *sync.Map) {
	m.Range(func(k, v any) bool {
		if v.(int) < 10 {
			m.Delete(k) // want "Range -2, Delete"
		}
		return true
	})
}

func doubleChecked(m *sync.Map, mu *sync.Mutex, k string) {
	if _, ok := m.Load(k); ok {
		return
	}
	mu.Lock()
	defer mu.Unlock()
	if _, ok := m.Load(k); ok {
		return
	}
	m.Store(k, 1) // want "Load -3, Store"
}

func twoChecks(m *sync.Map, a bool) {
	var ok bool
	if a {
		_, ok = m.Load("k")
	} else {
		_, ok = m.Load("k")
	}
	if !ok {
		m.Store("k", 1) // want "Load -5, Store" "Load -3, Store"
	}
}

func ownAct(m *sync.Map, k string) {
	if v, ok := m.Load(k); ok {
		m.Delete(k) // want "Load -1, Delete"
		use(v)
		m.Store(k, v)
	}
}

// What is not.

func arbiters(m *sync.Map, k string) {
	if _, ok := m.Load(k); !ok {
		m.LoadOrStore(k, 1)
	}
	if v, ok := m.Load(k); ok {
		m.CompareAndSwap(k, v, 2)
		m.CompareAndDelete(k, v)
		m.LoadAndDelete(k)
	}
	if _, loaded := m.LoadOrStore(k, 1); !loaded {
		m.Store(k, 2)
	}
	if v, ok := m.LoadAndDelete(k); ok {
		m.Store(k, v)
	}
}

func stress(m *sync.Map, random func(int) int) {
	for i := range 100 {
		k := random(10)
		switch random(3) {
		case 0:
			v, ok := m.Load(k)
			use(v, ok)
		case 1:
			m.Store(k, i)
		case 2:
			m.Delete(k)
		}
	}
}

func stressAndStop(m *sync.Map, random func(int) int) {
	for i := range 100 {
		switch random(2) {
		case 0:
			if _, ok := m.Load("k"); !ok {
				return
			}
		case 1:
			m.Store("k", i)
		}
	}
}

func logs(m *sync.Map, k string) {
	if v, ok := m.Load(k); ok {
		fmt.Println(v)
	}
	m.Store(k, 1)
}

func ignored(m *sync.Map, k string) {
	m.Load(k)
	_, _ = m.Load(k)
	m.Store(k, 1)
}

func otherKey(m *sync.Map, a, b string) {
	if _, ok := m.Load(a); !ok {
		m.Store(b, 1)
	}
	if _, ok := m.Load("a"); !ok {
		m.Store("b", 1)
	}
}

func otherObject(s *server, m *sync.Map) {
	if _, ok := s.cache.Load("k"); !ok {
		s.other.Store("k", 1)
		m.Store("k", 1)
		global.Store("k", 1)
	}
}

func otherServer(s, t *server) {
	if _, ok := s.cache.Load("k"); !ok {
		t.cache.Store("k", 1)
	}
}

func anotherByThen(s *server) {
	_, ok := s.shared.Load("k")
	s.shared = new(sync.Map)
	if !ok {
		s.shared.Store("k", 1)
	}
}

func anotherKeyByThen(m *sync.Map, r *request) {
	_, ok := m.Load(r.id)
	r.id = "x"
	if !ok {
		m.Store(r.id, 1)
	}
}

func nextKey(m *sync.Map, keys []string) {
	missing := false
	for _, k := range keys {
		if missing {
			m.Store(k, 1)
		}
		_, ok := m.Load(k)
		missing = !ok
	}
}

func called(m *sync.Map, key func() string) {
	if _, ok := m.Load(key()); !ok {
		m.Store(key(), 1)
	}
}

func actFirst(m *sync.Map, k string) {
	m.Store(k, 1)
	if v, ok := m.Load(k); ok {
		use(v)
	}
}

func deferred(m *sync.Map, k string) {
	if _, ok := m.Load(k); ok {
		defer m.Delete(k)
		go m.Delete(k)
	}
}

func bounded(m *sync.Map, k string) {
	for range 10 {
		if _, ok := m.Load(k); !ok {
			break
		}
	}
	m.Store(k, 1)
}

func overwritten(m *sync.Map, k string) {
	r := &request{}
	keep = r
	v, _ := m.Load(k)
	r.user = v.(string)
	r.user = "x"
	m.Store(k, r.user)
}

func otherField(m *sync.Map, k string) {
	r := &request{}
	keep = r
	v, _ := m.Load(k)
	r.user = v.(string)
	m.Store(k, r.id)
}

func bothWays(m *sync.Map, k string) {
	n := 1
	if _, ok := m.Load(k); ok {
		use(strings.ToUpper(k))
	} else {
		use(k)
	}
	m.Store(k, n)
}

func fixedInCallback(m *sync.Map) {
	m.Range(func(k, v any) bool {
		m.Store("last", 1)
		return true
	})
	var other sync.Map
	m.Range(func(k, v any) bool {
		other.Store(k, v)
		return true
	})
	m.Store("k", 1)
}

func recheckedData(m *sync.Map, mu *sync.Mutex, k string) {
	v, _ := m.Load(k)
	mu.Lock()
	defer mu.Unlock()
	if now, _ := m.Load(k); now == v {
		m.Store(k, compute(v)) // want "Load -1, Store"
	}
}
