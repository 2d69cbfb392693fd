// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package words

// A Counter counts words.
//
//ecl:observer Count(word)/n, Len()/n
//ecl:arbiter TryAdd(word)/ok
//ecl:commute Add(w1), Add(w2): true
//ecl:commute Add(w1), Count(w2): w1 != w2
//ecl:commute Add(w1), Len(): false
//ecl:commute Set(w1, n1), Set(w2, n2): w1 != w2
//ecl:commute Set(w1, n1), Count(w2): w1 != w2
//ecl:commute Set(w1, n1), Add(w2): w1 != w2
//ecl:commute Set(w1, n1), Len(): false
//ecl:default false
type Counter struct{ n map[string]int }

func (c *Counter) Add(word string)         { c.n[word]++ }
func (c *Counter) Set(word string, n int)  { c.n[word] = n }
func (c *Counter) Count(word string) int   { return c.n[word] }
func (c *Counter) Len() int                { return len(c.n) }
func (c *Counter) TryAdd(word string) bool { return true }

type book struct{ counter *Counter }

func few(c *Counter, word string) {
	if c.Len() < 10 {
		c.Add(word) // want "Len -1, Add"
	}
}

func double(b *book, word string) {
	b.counter.Set(word, b.counter.Count(word)*2) // want `Count \+0, Set`
}

func numbered(c *Counter) {
	for i := 0; i < c.Len(); i++ {
		c.Set("x", i) // want "Len -1, Set"
	}
}

func once(c *Counter, word string) {
	n := c.Count(word)
	if n > 0 {
		return
	}
	if word != "" {
		c.Add(word) // want "Count -5, Add"
	}
}

func fine(c, d *Counter, word string) {
	if c.Len() < 10 {
		d.Add(word)
	}
	if c.Count(word) == 0 {
		c.TryAdd(word)
	}
	if c.TryAdd(word) {
		c.Set(word, 1)
	}
	if c.Count("a") == 0 {
		c.Add("b")
	}
	n := c.Count(word)
	println(n)
	c.Add(word)
}
