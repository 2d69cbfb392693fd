// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// ownSources are those of the rule for objects that a function has made.
var ownSources = []ruleSource{
	{"own object", `
func NewT() *T { return &T{} }

func F() *T {
	t := NewT()
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
	return t
}`, `
var last *T

func theT() *T { return last }

func F() *T {
	t := theT()
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
	return t
}`},
	{"own object", `
func NewT() *T { return &T{} }

func F() {
	t := NewT()
	raise := func() {
		t.mu.Lock()
		n := t.n
		t.mu.Unlock()
		work()
		t.mu.Lock()
		t.n = n + 1
		t.mu.Unlock()
	}
	raise()
	go work()
}`, `
func NewT() *T { return &T{} }

func F() {
	t := NewT()
	for range 2 {
		go func() {
			t.mu.Lock()
			n := t.n // check c
			t.mu.Unlock()
			work()
			t.mu.Lock()
			t.n = n + 1 // act c, lost update
			t.mu.Unlock()
		}()
	}
}`},
	{"own object", `
func NewT() *T { return &T{} }

func (t *T) run() {}

func F() {
	t := NewT()
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
	go t.run()
}`, `
func NewT() *T { return &T{} }

func (t *T) run() {}

func F() {
	t := NewT()
	go t.run()
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
}`},
	{"own object", `
var all []*T

func NewT() *T { return &T{} }

func F() *T {
	t := NewT()
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
	all = append(all, t)
	return t
}`, `
var last *T

func NewT() *T { return &T{} }

func F() *T {
	t := NewT()
	last = t
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
	return t
}`},
}
