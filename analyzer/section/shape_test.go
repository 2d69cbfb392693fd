// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"slices"
	"testing"
)

// TestPairFlags compares what pairs say of their acts, besides the shape.
func TestPairFlags(t *testing.T) {
	for text, want := range map[string]string{
		`
func (t *T) F() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
}`: "lost update, value true, fill false, always true",
		`
func (t *T) F() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	if n < 3 {
		t.mu.Lock()
		t.n++
		t.mu.Unlock()
	}
}`: "exceeded, value false, fill false, always false",
		`
func double(s string) int { return 2 * len(s) }

func (t *T) F(k string) int {
	t.mu.Lock()
	v, ok := t.m[k]
	t.mu.Unlock()
	if !ok {
		v = double(k)
		t.mu.Lock()
		t.m[k] = v
		t.mu.Unlock()
	}
	return v
}`: "computed, value false, fill true, always false",
		`
func double(s string) int { return 2 * len(s) }

func (t *T) F(k string) int {
	t.mu.Lock()
	v, ok := t.m[k]
	t.mu.Unlock()
	if !ok {
		v = double(k)
		t.mu.Lock()
		t.m[k] = v
		t.n += v
		t.mu.Unlock()
	}
	return v
}`: "computed, value false, fill false, always false",
		`
func (t *T) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *T) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n > 0 {
		t.n = n
	}
}

func (t *T) F() { t.set(t.get() + 1) }`: "lost update, value true, fill false, always false",
		`
func (t *T) get() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *T) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n < 0 {
		t.n = -n
	} else {
		t.n = n
	}
}

func (t *T) G() { t.set(t.get() + 1) }`: "lost update, value true, fill false, always false",
	} {
		pkg := source(t, preamble+text)
		r := Find(pkg, nil)
		var got []string
		for _, f := range r.Funcs {
			for _, p := range f.Pairs {
				got = append(got, fmt.Sprintf("%s, value %v, fill %v, always %v", shapes[p.Shape],
					p.Value, p.Fill, p.Always))
			}
		}
		if got = slices.Compact(got); !slices.Equal(got, []string{want}) {
			t.Errorf("%q, want %q\n%s", got, want, text)
		}
	}
}
