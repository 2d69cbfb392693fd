// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"

	"github.com/commutego/commute/internal/engine/compiled"
)

// TestAtomics compares the pairs of atomic operations with what comments tell.
func TestAtomics(t *testing.T) {
	for name, text := range atomicSources {
		t.Run(name, func(t *testing.T) {
			text = preamble + text
			pkg := source(t, text)
			got, want := pairsOf(pkg, Find(pkg, nil)), wanted(text)
			if !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q\n%s", got, want, text)
			}
		})
	}
}

// TestAtomicTouches wants all operations on the variable of a pair noted, but for those that check
// and act in one.
func TestAtomicTouches(t *testing.T) {
	pkg := source(t, preamble+atomicSources["lost update"]+`
func (t *T) reset() { t.c.Store(0) }
func (t *T) swap() { t.c.Swap(0) }
func (t *T) other() { t.on.Store(true) }
func (t *T) count() { t.c.Add(1) }
func (t *T) next() int64 { return t.c.Add(1) }
`)
	r := Find(pkg, nil)
	count := make(map[compiled.TouchOp]int)
	for _, x := range r.Touches {
		if x.Atomic != compiled.AtomicSigned || x.Point != "example.com/p.T.c" || x.Expr == nil {
			t.Errorf("touch %+v", x)
		}
		count[x.Op]++
	}
	if len(r.Touches) != 4 || count[compiled.WriteVar] != 2 || count[compiled.UpdateVar] != 1 {
		t.Errorf("%d touches, by operation %v", len(r.Touches), count)
	}
}

var atomicSources = map[string]string{
	"lost update": `
func (t *T) F() {
	v := t.c.Load() // check c
	t.c.Store(v+1) // act c, lost update
}
`,
	"in one expression": `
func (t *T) F() {
	t.c.Store(t.c.Load()+1) // check c // act c, lost update
}
`,
	"function": `
func (t *T) F() {
	if atomic.LoadUint32(&t.raw) == 0 { // check c
		go work()
		atomic.StoreUint32(&t.raw, 1) // act c, flag
	}
}
`,
	"work under a lock": `
func (t *T) note() {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}

func (t *T) F() {
	if !t.on.Load() { // check c
		t.note()
		t.on.Store(true) // act c, computed
	}
}
`,
	"a count": `
func (t *T) F() {
	if t.on.Load() { // check c
		return
	}
	t.c.Add(1)
	t.on.Store(true) // act c, computed
}
`,
	"work under a lock, by who sets": `
func (t *T) set() {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
	t.on.Store(true) // act c, computed
}

func (t *T) F() {
	if !t.on.Load() { // check c
		t.set()
	}
}
`,
	"function that adds": `
func (t *T) F() bool {
	if atomic.LoadUint32(&t.raw) > 10 { // check c
		return false
	}
	atomic.AddUint32(&t.raw, 1) // act c, exceeded
	return true
}
`,
	"the larger one by helpers": `
//go:noinline
func (t *T) get() int64 { return t.c.Load() } // check c

func (t *T) set(v int64) { t.c.Store(v) } // act c, lost update

func (t *T) F(v int64) {
	if t.get() < v {
		t.set(v)
	}
}
`,
	"another one by helpers": `
func (t *T) get() int64 { return t.c.Load() } // check c

func (t *T) set(v int64) { t.c.Store(v+1) } // act c, computed

func (t *T) F(v int64) {
	if t.get() < v {
		t.set(v)
	}
}
`,
	"by helpers": `
func (t *T) started() bool { return t.on.Load() } // check c

func (t *T) start() {
	go work()
	t.on.Store(true) // act c, flag
}

func (t *T) F() {
	if t.started() {
		return
	}
	t.start()
}
`,
	"in a callback": `
func (t *T) F(f func()) {
	if !t.on.Load() { // check c
		f()
		t.on.Store(true) // act c, flag
	}
}
`,
	"counter of failures": `
func (t *T) F() {
	if t.c.Load() == 0 { // check c
		t.c.Add(1) // act c, computed
	}
}
`,
	"copy and store": `
func (t *T) F() {
	next := *t.cur.Load() // check c
	next.n++
	t.cur.Store(&next) // act c, lost update
}
`,
	"maximum": `
func (t *T) F(x int64) {
	if x > t.c.Load() { // check c
		t.c.Store(x) // act c, lost update
	}
}
`,
	"resource": `
func (t *T) Close() {}

func (t *T) F() *T {
	if c := t.cur.Load(); c != nil { // check c
		return c
	}
	c := new(T)
	go work()
	t.cur.Store(c) // act c, created
	return c
}
`,
	"cache": `
func (t *T) F() *T {
	if c := t.cur.Load(); c != nil { // check c
		return c
	}
	c := new(T)
	t.cur.Store(c) // act c, computed
	return c
}
`,
	"package-level variable": `
var total atomic.Int64

func F() {
	v := total.Load() // check c
	total.Store(v * 2) // act c, lost update
}
`,
	"captured variable": `
func F() func() {
	var total atomic.Int64
	return func() {
		v := total.Load() // check c
		total.Store(v * 2) // act c, lost update
	}
}
`,
	"own variable": `
func F() {
	var total atomic.Int64
	v := total.Load()
	total.Store(v * 2)
}
`,
	"two objects": `
func (t *T) F(u *T) {
	v := t.c.Load()
	u.c.Store(v + 1)
}
`,
	"compare and swap": `
func (t *T) F() {
	for {
		v := t.c.Load()
		if t.c.CompareAndSwap(v, v+1) {
			return
		}
	}
}
`,
	"sync.Once": `
func (t *T) F(once *sync.Once) {
	if !t.on.Load() {
		once.Do(work)
		t.on.Store(true)
	}
}
`,
	"helpers of two pairs, one of them of little harm": `
func (t *T) get() bool { return t.on.Load() } // check c
func (t *T) set() { t.on.Store(true) } // act c, computed

func (t *T) F() {
	if !t.get() {
		go work()
		t.set()
	}
	if !t.get() {
		t.mu.Lock()
		t.n++
		t.mu.Unlock()
		t.set()
	}
}
`,
	"read lock": `
func (t *T) F() {
	t.rw.RLock()
	defer t.rw.RUnlock()
	v := t.c.Load()
	t.c.Store(v + 1)
}
`,
}
