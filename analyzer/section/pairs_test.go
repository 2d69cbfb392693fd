// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// pairSources are functions with pairs, and without, by what they show.
var pairSources = map[string]string{
	"field": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n > 3 {
		return
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"one section": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n
	if n < 3 {
		t.n = n + 1
	}
	t.mu.Unlock()
}`,
	"value": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
}`,
	"independent": `
func (t *T) F() {
	t.mu.Lock()
	println(t.n)
	t.mu.Unlock()
	t.mu.Lock()
	t.n = 1
	t.mu.Unlock()
}`,
	"helpers": `
func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] // check c
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act c, lost update
}

func (t *T) Raise(k string) { t.put(k, t.get(k)+1) }`,
	"other key": `
func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k]
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v
}

func (t *T) Copy(k, j string) { t.put(j, t.get(k)) }`,
	"other object": `
func (t *T) F(u *T) {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	u.mu.Lock()
	u.n = n
	u.mu.Unlock()
}`,
	"outer lock": `
func (t *T) F() {
	t.rw.Lock()
	defer t.rw.Unlock()
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.rw.Lock()
	t.n = n + 1
	t.mu.Unlock()
}`,
	"created": `
func (t *T) F(k string) *T {
	t.mu.Lock()
	e, ok := t.p[k] // check c
	t.mu.Unlock()
	if ok {
		return e
	}
	e = &T{}
	t.mu.Lock()
	t.p[k] = e // act c, created
	t.mu.Unlock()
	return e
}`,
	"length": `
func (t *T) F(k string) {
	t.mu.Lock()
	full := len(t.m) > 10 // check c
	t.mu.Unlock()
	if full {
		return
	}
	t.mu.Lock()
	t.m[k] = 1 // act c, exceeded
	t.mu.Unlock()
}`,
	"delete": `
func (t *T) F(k string) {
	t.rw.RLock()
	idle := t.m[k] == 0 // check c
	t.rw.RUnlock()
	if idle {
		t.rw.Lock()
		delete(t.m, k) // act c, deleted after
		t.rw.Unlock()
	}
}`,
	"append": `
func (t *T) F() {
	t.mu.Lock()
	n := len(t.s) // check c
	t.mu.Unlock()
	if n < 10 {
		t.mu.Lock()
		t.s = append(t.s, 1) // act c, exceeded
		t.mu.Unlock()
	}
}`,
	"range": `
func (t *T) F() {
	var old []string
	t.mu.Lock()
	for k, v := range t.m { // check c
		if v == 0 {
			old = append(old, k)
		}
	}
	t.mu.Unlock()
	for _, k := range old {
		t.mu.Lock()
		delete(t.m, k) // act c, deleted after
		t.mu.Unlock()
	}
}`,
	"flag": `
func (t *T) F() {
	t.mu.Lock()
	if t.flag { // check c
		t.mu.Unlock()
		return
	}
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.flag = true // act c, flag
	t.mu.Unlock()
}`,
	"global": `
var mu sync.Mutex
var count int

func F() {
	mu.Lock()
	n := count // check c
	mu.Unlock()
	work()
	mu.Lock()
	defer mu.Unlock()
	count = n + 1 // act c, lost update
}`,
	"captured": `
func F() {
	var mu sync.Mutex
	n := 0
	for range 2 {
		go func() {
			mu.Lock()
			x := n // check c
			mu.Unlock()
			work()
			mu.Lock()
			n = x + 1 // act c, lost update
			mu.Unlock()
		}()
	}
}`,
	"embedded lock": `
type E struct {
	sync.RWMutex
	n int
}

func (e *E) F() {
	e.RLock()
	n := e.n // check c
	e.RUnlock()
	work()
	e.Lock()
	e.n = n + 1 // act c, lost update
	e.Unlock()
}`,
	"own lock type": `
type L struct{ mu sync.Mutex }

func (l *L) Lock()   { l.mu.Lock() }
func (l *L) Unlock() { l.mu.Unlock() }

type E struct {
	l L
	n int
}

func (e *E) F() {
	e.l.Lock()
	n := e.n // check c
	e.l.Unlock()
	work()
	e.l.Lock()
	e.n = n + 1 // act c, lost update
	e.l.Unlock()
}`,
	"lock is held on": `
func (t *T) lock()   { t.mu.Lock() }
func (t *T) unlock() { t.mu.Unlock() }

func (t *T) F() {
	t.lock()
	n := t.n
	work()
	t.n = n + 1
	t.unlock()
}`,
	"called with the lock": `
func (t *T) setLocked(k string, v int) { t.m[k] = v } // act c, lost update

func (t *T) F(k string) {
	t.mu.Lock()
	v := t.m[k] // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.setLocked(k, v+1)
	t.mu.Unlock()
}`,
	"literal": `
func (t *T) with(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *T) F() {
	n := 0
	t.mu.Lock()
	n = t.n // check c
	t.mu.Unlock()
	work()
	func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.n = n + 1 // act c, lost update
	}()
}`,
	"literals under a callee's lock": `
func (t *T) locked(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *T) F() {
	n := 0
	t.locked(func() { n = t.n }) // check c
	work()
	t.locked(func() {
		if n == 0 {
			t.n = 2 // act c, flag
		}
	})
}`,
	"two literals, two locks": `
func (t *T) locked(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *T) F(u *T) {
	n := 0
	t.locked(func() { n = t.n })
	work()
	u.locked(func() {
		if n == 0 {
			t.n = 2
		}
	})
}`,
	"go is not a call": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	go func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.n = n + 1
	}()
}`,
	"generic": `
type G[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (g *G[K, V]) get(k K) (V, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	v, ok := g.m[k] // check c
	return v, ok
}

func (g *G[K, V]) put(k K, v V) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.m[k] = v // act c, created
}

func (g *G[K, V]) F(k K, make func() V) V {
	if v, ok := g.get(k); ok {
		return v
	}
	v := make()
	g.put(k, v)
	return v
}`,
	"interface": `
type store interface {
	get(k string) int
	put(k string, v int)
}

func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] // check c
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act c, lost update
}

func F(s store) { s.put("a", s.get("a")+1) }`,
	"key of the answer": `
func (t *T) F(k string) {
	t.mu.Lock()
	e := t.p[k] // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.p[k+"x"] = nil
	delete(t.p, e.k) // act c, deleted after
	t.mu.Unlock()
}`,
}
