// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	. "strings"
	"sync"
)

type flag bool

type inner struct {
	n    int
	next *inner
	list []string
}

func (i *inner) sum(n int) int { return i.n + n }

type box struct {
	mu sync.Mutex
	sync.RWMutex
	inner
	m     map[string]int
	any   map[any]string
	deep  map[string]map[int][]inner
	f     func(int) int
	arr   [4]int
	p     *inner
	s     string
	state flag
	e     error
}

func newBox() *box {
	b := &box{
		m:    map[string]int{"a": 1, "b": 2},
		any:  map[any]string{1: "int", "x": "string", nil: "nil"},
		deep: map[string]map[int][]inner{"d": {3: {{n: 7}, {n: 8}}}},
		f:    func(i int) int { return i + 1 },
		arr:  [4]int{4, 3, 2, 1},
		p:    &inner{n: 5},
		s:    "text",
	}
	b.inner.list = []string{"p", "q"}
	b.p.next = &inner{n: 6, next: b.p}
	return b
}

var global = newBox()
var globalMap = map[string]int{"g": 3}

func two(a, b int) int { say("two %d %d", a, b); return a + b }

func (b *box) get(k string) (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	v, ok := b.m[k]
	return v, ok
}

func (b *box) value() box { return box{s: b.s, m: b.m, p: b.p} }

var cases = map[string]func(){
	"reads": func() {
		b := newBox()
		say("%v %v %v %v", b.s, b.p.n, b.p.next.next.n, b.n)
		say("%v %v %v", b.arr[2], len(b.arr), cap(b.list))
		say("%v", two(b.p.n, b.m["a"]))
		say("%d", b.f(b.arr[0]))
		if b.s == "text" && !bool(b.state) || b.e != nil {
			here()
		}
		x, y := b.s, b.p
		say("%v %v", x, y.n)
		var i interface{ Error() string } = b.e
		say("%v", i)
		for i := range b.arr {
			say("%d", b.arr[i])
		}
		for i, r := range b.s {
			say("%d %c", i, r)
		}
		say("%s", ToUpper(b.s)+b.inner.list[1])
	},
	"lookups": func() {
		b := newBox()
		v, ok := b.m["a"]
		say("%v %v", v, ok)
		if v, ok := b.m["none"]; !ok {
			say("%v %v", v, ok)
		}
		var f flag
		var w any
		w, f = b.m["b"]
		say("%v %v %T", w, f, f)
		_, f = globalMap["g"]
		say("%v", f)
		var x, y = b.any[nil]
		say("%v %v", x, y)
		say("%v %v %v", b.any[1], b.any["x"], b.any[b.m["a"]])
		say("%v", b.deep["d"][3][1].n)
		say("%v", b.deep["none"][3])
		switch b.m["b"] {
		case b.m["a"] + 1:
			here()
		}
		switch v, ok := b.deep["d"][3]; {
		case ok:
			say("%d", len(v))
		}
		say("%d", two(b.m["a"], two(b.m["b"], 1)))
		say("%d", make(map[int]int)[1])
		say("%d", map[string]int{"k": 9}["k"])
		say("%d", newBox().m["b"])
		say("%d", (b.m)[("a")])
		const key = "a"
		say("%d", b.m[key])
		var empty map[string]int
		say("%d %d", empty["x"], len(empty))
		say("%v", fmt.Sprint(b.m["a"], b.m["b"]))
	},
	"lengths": func() {
		b := newBox()
		const n = len(box{}.arr)
		var array [len(b.arr)]int
		say("%d %d %d", n, len(array), len(b.m))
		if len(b.m) > 1 {
			say("%d", len(b.any)*2)
		}
		for len(b.m) > 0 {
			for k := range b.m {
				delete(b.m, k)
				break
			}
		}
		say("%d", len(globalMap))
	},
	"order": func() {
		b := newBox()
		next := func() int { b.p = b.p.next; b.s += "+"; b.m["a"]++; return b.p.n }
		x := []int{b.p.n, next(), b.p.n}
		say("%v", x[1:])
		y := two(next(), b.p.n)
		say("%v %v", y, b.s)
		say("%v", two(b.m["a"], b.p.n))
		ch := make(chan int, 1)
		ch <- b.m["a"]
		say("%v", <-ch)
	},
	"generic": func() {
		say("%v", sumOf(map[string]int{"a": 1, "b": 2}, "a", "b"))
		h := &holder[string, []int]{m: table[string, []int]{"x": {1, 2}}}
		n, m := h.size()
		say("%v %v %v", h.get("x"), n, m)
		h.set("y", []int{3})
		n, m = h.size()
		say("%v %v %v", h.get("y"), n, m)
		say("%v", lookAny(myMap{1: "one"}, 1))
	},
	"methods": func() {
		b := newBox()
		f := b.get
		b.m["a"] = 10
		say("%v", fmt.Sprint(f("a")))
		g := (*box).get
		say("%v", fmt.Sprint(g(b, "b")))
		c := b.value().s
		say("%v", c)
		b.Lock()
		b.inner.n++
		b.Unlock()
		b.RLock()
		say("%v", b.n)
		b.RUnlock()
		say("%v %v", b.mu.TryLock(), b.mu.TryLock())
		b.mu.Unlock()
		say("%d %d", b.p.sum(1), b.p.next.sum(2))
		(&b.mu).Lock()
		(b).mu.Unlock()
	},
	"panics nil pointer": func() {
		var b *box
		here()
		say("%v", b.s)
	},
	"panics nil pointer in a map": func() {
		b := newBox()
		b.p = nil
		say("%v",
			b.m[b.p.list[0]])
	},
	"panics nil lock": func() {
		var b *box
		b.mu.Lock()
	},
	"panics unhashable": func() {
		b := newBox()
		var k any = []int{1}
		here()
		say("%v", b.any[k])
	},
	"panics index": func() {
		b := newBox()
		i := 9
		say("%v", b.list[i])
	},
}

type table[K comparable, V any] map[K]V

type holder[K comparable, V any] struct {
	mu sync.Mutex
	m  table[K, V]
	n  int
}

func (h *holder[K, V]) get(k K) V {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.m[k]
	if !ok {
		var zero V
		return zero
	}
	return v
}

func (h *holder[K, V]) set(k K, v V) {
	h.mu.Lock()
	h.m[k] = v
	h.n++
	h.mu.Unlock()
}

func (h *holder[K, V]) size() (int, int) { return len(h.m), h.n }

func sumOf[M ~map[K]V, K comparable, V int | string](m M, keys ...K) (sum V) {
	for _, k := range keys {
		if v, ok := m[k]; ok {
			sum += v
		}
	}
	for range m {
		say("%d", len(m))
	}
	return sum
}

type myMap map[int]string

func lookAny[M interface{ ~map[int]string }](m M, k int) string { return m[k] }
