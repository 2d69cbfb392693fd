// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"slices"
	"testing"
)

// TestRegisters has functions that tell their caller that they have acted, and others that only
// look like them.
func TestRegisters(t *testing.T) {
	for name, text := range registerSources {
		t.Run(name, func(t *testing.T) {
			text = "package p\n" + registerPreamble + text
			pkg := source(t, text)
			r := Find(pkg, nil)
			got, want := pairsOf(pkg, r), wanted(text)
			if !slices.Equal(got, want) {
				t.Errorf("pairs %q, want %q\n%s", got, want, text)
			}
			for _, f := range r.Funcs {
				for _, p := range f.Pairs {
					if p.Shape.Once() && p.Fill {
						t.Errorf("a second act is taken for harmless\n%s", text)
					}
				}
			}
		})
	}
}

const registerPreamble = `
import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
)

type T struct {
	mu   sync.Mutex
	m    map[string]int
	flag bool
	on   atomic.Bool
	n    atomic.Int64
}

var ErrThere = errors.New("there")

func use(*T) { _ = fmt.Sprint(ErrThere); var _ sync.Mutex; var _ atomic.Bool }
`

var registerSources = map[string]string{
	"bool": `
func (t *T) F(k string, n int) bool {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return false
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return true
}
`,
	"other way round": `
func (t *T) F(k string, n int) bool {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return true
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return false
}
`,
	"equal values": `
func (t *T) F(k string) bool {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return false
	}
	t.mu.Lock()
	t.m[k] = 1 // act c, registered
	t.mu.Unlock()
	return true
}
`,
	"error": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return ErrThere
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return nil
}
`,
	"new error": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return errors.New("there")
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return nil
}
`,
	"formatted error": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return fmt.Errorf("%s is there", k)
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return nil
}
`,
	"several results": `
func (t *T) F(k string, n int) (int, error) {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return 0, ErrThere
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return n, nil
}
`,
	"another error in between": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return ErrThere
	}
	if n < 0 {
		return errors.New("negative")
	}
	t.mu.Lock()
	t.m[k] = n // act c, registered
	t.mu.Unlock()
	return nil
}
`,
	"flag": `
func (t *T) F() bool {
	t.mu.Lock()
	there := t.flag // check c
	t.mu.Unlock()
	if there {
		return false
	}
	t.mu.Lock()
	t.flag = true // act c, flag
	t.mu.Unlock()
	return true
}
`,
	"composed": `
func (t *T) has(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.m[k] // check c
	return ok
}

func (t *T) put(k string, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = n // act c, registered
}

func (t *T) F(k string, n int) bool {
	if t.has(k) {
		return false
	}
	t.put(k, n)
	return true
}
`,
	"atomic flag": `
func (t *T) F() bool {
	if t.on.Load() { // check c
		return false
	}
	t.on.Store(true) // act c, flag
	return true
}
`,
	"not: cache that tells of a hit": `
func (t *T) F(k string, n int) (int, bool) {
	t.mu.Lock()
	v, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return v, true
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return n, false
}
`,
	"not: known to be bad": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return nil
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return ErrThere
}
`,
	"not: what the check found": `
func (t *T) F(k string, n int) bool {
	t.mu.Lock()
	v, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return v == n
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return true
}
`,
	"not: no result": `
func (t *T) F(k string, n int)  {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return 
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return 
}
`,
	"not: an error that may be nil": `
func (t *T) F(k string, n int) error {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		return fail()
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return nil
}

func fail() error { return nil }
`,
	"not: idle flag": `
func (t *T) F()  {
	t.mu.Lock()
	there := t.flag
	t.mu.Unlock()
	if there {
		return 
	}
	t.mu.Lock()
	t.flag = true
	t.mu.Unlock()
	return 
}
`,
	"not: looked again": `
func (t *T) F(k string, n int) bool {
	t.mu.Lock()
	_, there := t.m[k]
	t.mu.Unlock()
	if there {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, there := t.m[k]; there {
		return false
	}
	t.m[k] = n
	return true
}
`,
	"not: a cache that may find nothing": `
func (t *T) F(k string, all []string) (int, error) {
	t.mu.Lock()
	if n, there := t.m[k]; there { // check c
		t.mu.Unlock()
		return n, nil
	}
	t.mu.Unlock()
	pattern := fmt.Sprintf("%s_"+k, k)
	n := -1
	for i, other := range all {
		if other == pattern {
			n = i
			break
		}
	}
	if n == -1 {
		return n, ErrThere
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return n, nil
}
`,
	"not: it is time again": `
func (t *T) F(now int) bool {
	t.mu.Lock()
	last := t.m["last"] // check c
	t.mu.Unlock()
	if now-last < 10 {
		return false
	}
	t.mu.Lock()
	t.m["last"] = now // act c, computed
	t.mu.Unlock()
	return true
}
`,
	"not: only part of what is found": `
func (t *T) F(k string, n int) bool {
	t.mu.Lock()
	v, there := t.m[k] // check c
	t.mu.Unlock()
	if there {
		if v == n {
			return true
		}
		return false
	}
	t.mu.Lock()
	t.m[k] = n // act c, computed
	t.mu.Unlock()
	return true
}
`,
	"not: the act and no act return the same": `
func (t *T) F(k string, n int, put bool) bool {
	t.mu.Lock()
	_, there := t.m[k] // check c
	t.mu.Unlock()
	if !there {
		t.mu.Lock()
		t.m[k] = n // act c, computed
		t.mu.Unlock()
	}
	return true
}
`,
}
