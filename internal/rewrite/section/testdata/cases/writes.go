// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "maps"

func init() { maps.Copy(cases, writes) }

var counter int

type pair struct{ i, j int }

var writes = map[string]func(){
	"writes": func() {
		b := newBox()
		b.s = "new"
		b.p.n, b.n = b.n, b.p.n
		b.arr[1] += 5
		b.list = append(b.list, "r", b.s)
		b.p = b.p.next
		b.p.next = nil
		counter++
		counter += 2
		b.n-- // one line
		say("%v %v %v %v %v %v %v", b.s, b.n, b.p.n, b.arr, b.list, b.p.next, counter)
		{
			b.n = 3
		}
		if b.n == 3 {
			b.n = 4
		} else {
			b.n = 5
		}
		say("%d", b.n)
		switch b.n {
		case 4:
			b.n = 6
			fallthrough
		case 5:
			b.n++
		default:
			b.n = 0
		}
		say("%d", b.n)
		here()
	},
	"maps": func() {
		b := newBox()
		b.m["c"] = 3
		b.m["a"]++
		b.m["b"] *= 10
		delete(b.m, "c")
		delete(b.m, "none")
		i := 0
		i, b.arr[i] = 1, 9
		k, l := "k", "l"
		b.m[k], k = 1, l
		b.m[k], b.m[l] = 5, 6
		say("%v %v %v", b.m, b.arr, i)
		clear(b.m)
		say("%d", len(b.m))
		b.any[3], b.any["three"] = "3", "three"
		say("%v %v", b.any[3], len(b.any))
		b.deep["new"] = map[int][]inner{1: nil}
		b.deep["d"][3][0].n = 70
		delete(b.deep["d"], 4)
		say("%v", b.deep["d"][3][0].n)
		keyed := map[pair]string{}
		keyed[pair{1, 2}] = "12"
		keyed[pair{
			3,
			4,
		}] = "34"
		say("%v", keyed)
	},
	"goto": func() {
		b := newBox()
	again:
		b.n++
		if b.n < 3 {
			goto again
		}
		if b.n > 100 {
			goto end
		}
		b.n += 10
	end:
		say("%d", b.n)
	},
	"labels": func() {
		b := newBox()
	outer:
		for k := range b.m {
			for i := range b.arr {
				b.n++
				if i == 2 {
					delete(b.m, k)
					continue outer
				}
			}
		}
		say("%d %d", b.n, len(b.m))
	},
	"range with deletion": func() {
		m := map[int]int{}
		b := &struct{ m map[int]int }{m}
		for i := range 100 {
			b.m[i] = i
		}
		for k := range b.m {
			if k%2 == 0 {
				delete(b.m, k)
			}
		}
		n := 0
		for k, v := range b.m {
			n += k + v
		}
		say("%d %d", n, len(b.m))
	},
	"defer": func() {
		b := newBox()
		defer func() { say("%d %s", b.m["a"], b.s) }()
		defer say("%v %v", b.m["a"], b.s)
		defer b.f(b.m["b"])
		b.m["a"], b.s = 100, "late"
		done := make(chan int)
		go func(n int, s string) { done <- n + len(s) }(b.m["a"], b.s)
		b.s = "later than that"
		say("%d", <-done)
	},
	"closures": func() {
		n := 0
		m := map[string]int{}
		add := func(k string) { n++; m[k] += n }
		add("x")
		add("y")
		add("x")
		say("%d %v", n, m)
	},
	"select": func() {
		b := newBox()
		chans := map[string]chan int{"a": make(chan int, 1)}
		select {
		case chans["a"] <- b.m["a"]:
			b.n = 1
		default:
		}
		select {
		case b.m["z"] = <-chans["a"]:
			b.n++
		}
		say("%d %d", b.n, b.m["z"])
	},
	"shadows": func() {
		b := newBox()
		len, string, uint32, unsafe, map1 := 1, 2, 3, 4, 5
		b.n = len + string
		b.m["a"] = uint32 + unsafe
		say("%d %d %d", b.n, b.m["a"], map1)
	},
	"aliases": func() {
		b := newBox()
		b.p, b.p.n = b.p.next, 42
		say("%d", b.p.n)
		b.m, b.m["x"] = map[string]int{}, 1
		say("%d", len(b.m))
		p := &b.n
		*p = 12
		(*p)++
		say("%d", b.n)
	},
	"panics nil map": func() {
		b := newBox()
		b.m = nil
		here()
		b.m["a"] = 1
		b.n++
		here()
	},
	"panics nil holder": func() {
		var b *box
		b.m["a"]++
	},
	"panics half way": func() {
		b := newBox()
		defer func() { say("%v %v", b.s, b.n) }()
		b.s, b.p.next.next.next.next.list[3] = "half", "way"
	},
	"panics divided": func() {
		b := newBox()
		b.n = 0
		b.arr[0] /= b.n
	},
}

//go:nosplit
func bare(b *box) int { b.n++; return b.n }

func init() {
	cases["bare"] = func() { say("%d", bare(newBox())) }
}
