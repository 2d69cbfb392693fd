// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package discount

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/load"
)

// source has functions that look again, at the lines that end with "// again", and additions to
// counters: each line that ends with "// counts" is left out.
const source = `package p

import (
	"fmt"
	"sync"
	"sync/atomic"
)

type cache struct {
	mu      sync.RWMutex
	m       map[string]int
	sync    sync.Map
	at      atomic.Pointer[int]
	n       int
	once    sync.Once
	hits    int
	bytes   int64
	Public  int
	length  int
	ratio   float64
	adds    atomic.Int64
	returns atomic.Int64
	old     int64
	reset   int
	calls   int
}

type stats struct{ hits, adds int }

func (c *cache) look(k string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.m[k]
	return v, ok
}

func (c *cache) twice(k string) int {
	c.mu.RLock()
	v, ok := c.m[k]
	c.mu.RUnlock()
	if ok {
		return v
	}
	c.mu.Lock() // again
	defer c.mu.Unlock()
	if v, ok = c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func (c *cache) helper(k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	made := len(k) // again
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = made
	return made
}

func (c *cache) inHelper(k string) int {
	if v, ok := c.m[k]; ok {
		return v
	}
	return c.slow(k) // again
}

func (c *cache) slow(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[key]; ok {
		return v
	}
	c.m[key] = 1
	return 1
}

func (c *cache) inLiteral(k string) {
	if c.at.Load() != nil {
		return
	}
	c.once.Do(func() { // again
		if c.at.Load() == nil {
			c.at.Store(new(int))
		}
	})
}

func (c *cache) arbiter(k string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	v, _ := c.sync.LoadOrStore(k, 1) // again
	return v
}

func (c *cache) arbiterOfAnother(k, l string) any {
	if v, ok := c.sync.Load(k); ok {
		return v
	}
	v, _ := c.sync.LoadOrStore(l, 1)
	return v
}

func (c *cache) otherKey(k, l string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[l]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func (c *cache) shadowed(k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	{
		k := k + "x"
		if v, ok := c.m[k]; ok {
			return v
		}
	}
	return 1
}

func (c *cache) uses(k string) int {
	v, ok := c.look(k)
	if ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func (c *cache) named(k string) (v int, ok bool) {
	v, ok = c.look(k)
	if ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, ok := c.m[k]; ok {
		return w, ok
	}
	c.m[k] = 1
	return
}

func (c *cache) effectBetween(k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	c.start()
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func (c *cache) effectBefore(k string) int {
	c.n = 1
	if v, ok := c.look(k); ok {
		return v
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	c.m[k] = 1
	return 1
}

func (c *cache) underTheLock(k string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		return v
	}
	if v, ok := c.m[k]; ok {
		return v
	}
	return 1
}

func (c *cache) actsFirst(k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	c.sync.Delete(k)
	if v, ok := c.look(k); ok {
		return v
	}
	return 1
}

func (c *cache) takesBetween(k string) int {
	if v, ok := c.look(k); ok {
		return v
	}
	taken, _ := c.sync.LoadAndDelete(k)
	if v, ok := c.look(k); ok {
		return v + taken.(int)
	}
	return 1
}

func (c *cache) start() { c.n++ }

func (c *cache) count(n int) {
	c.hits++ // counts
	c.bytes += int64(n) // counts
	c.adds.Add(1) // counts
	atomic.AddInt64(&c.old, int64(n)) // counts
	c.Public++
	c.length++
	c.ratio += 0.5
	c.returns.Add(1)
	c.reset++
	c.calls += c.next()
}

func (c *cache) next() int { return 1 }

func (c *cache) locked() {
	c.mu.Lock() // counts
	c.hits++ // counts
	c.mu.Unlock() // counts
	c.mu.Lock()
	c.hits++ // counts
	c.m = nil
	c.mu.Unlock()
}

func (c *cache) deferred() { // whole
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits++
}

func (c *cache) more() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits++ // counts
	return 1
}

func (c *cache) Len() int { return c.length }

func (c *cache) Returns() int64 { return c.returns.Add(2) }

func (c *cache) Reset() { c.reset = 0 }

func (c *cache) Stats() stats {
	fmt.Println(c.bytes, atomic.LoadInt64(&c.old))
	return stats{hits: c.hits, adds: int(c.adds.Load())}
}
`

// TestGenerate instruments the source: its comments say what is to come out, and the result is type
// checked.
func TestGenerate(t *testing.T) {
	out, change := generate(t, source)
	again, left, nextAgain, nextLeft := false, false, false, false // of a line and the next
	for i, line := range strings.Split(out, "\n") {
		code, comment, _ := strings.Cut(line, " // ")
		again, left = nextAgain, left || nextLeft
		nextAgain = strings.Contains(code, "commute_atomicAgain()")
		whole := strings.Contains(code, "defer commute_atomicLeaveOut(false)")
		nextLeft = strings.Contains(code, "commute_atomicLeaveOut(true)") && !whole
		if again != (comment == "again") || whole != (comment == "whole") ||
			left != (comment == "counts") {
			t.Errorf("line %d: %s", i+1, line)
		}
		if strings.Contains(code, "commute_atomicLeaveOut(false)") {
			left = false
		}
	}
	if len(change.Added) != 1 {
		t.Fatalf("%d files are added", len(change.Added))
	}
	check(t, []byte(out), change.Added[0].Data)
}

// TestNothing wants no change of a package that has nothing to discount.
func TestNothing(t *testing.T) {
	out, change := generate(t, "package p\n\nfunc f(m map[int]int) int { return m[1] }\n")
	if !change.Empty() {
		t.Errorf("%s, %v", out, change)
	}
}

// generate returns a source with its edits.
func generate(t *testing.T, src string) (string, edit.Change) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	pkg := load.New(load.Config{Path: "p", Names: []string{name}, Lang: "go1.26",
		Read: func(string) ([]byte, error) { return []byte(src), nil },
		Importer: func(fset *token.FileSet) (types.Importer, error) {
			return importer.ForCompiler(fset, "gc", nil), nil
		}})
	checked, err := pkg.Types()
	if err != nil || len(checked.Errs) > 0 {
		t.Fatal(err, checked)
	}
	change, err := Generate(pkg, checked.Info)
	if err != nil {
		t.Fatal(err)
	}
	out, err := edit.Apply([]byte(src), change.Edits[name])
	if err != nil {
		t.Fatal(err)
	}
	return string(out), change
}

// check type-checks files of one package.
func check(t *testing.T, srcs ...[]byte) {
	t.Helper()
	names := make([]string, len(srcs))
	for i := range srcs {
		names[i] = fmt.Sprintf("f%d.go", i)
	}
	pkg := load.New(load.Config{Path: "p", Names: names, Lang: "go1.26",
		Read: func(name string) ([]byte, error) {
			return srcs[slices.Index(names, name)], nil
		},
		Importer: func(fset *token.FileSet) (types.Importer, error) {
			return importer.ForCompiler(fset, "gc", nil), nil
		}})
	checked, err := pkg.Types()
	if err != nil || len(checked.Errs) > 0 {
		t.Fatalf("%v %v\n%s", err, checked.Errs, srcs[0])
	}
}
