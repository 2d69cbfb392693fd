// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// A ruleSource is right code that a rule leaves out, and a wrong twin that it doesn't.
type ruleSource struct{ rule, right, wrong string }

var ruleSources = []ruleSource{
	{"same place", `
func (t *T) look() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *T) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n
}

func (t *T) F() {
	n := t.look()
	t.set(n + 1)
	t.set(7)
}`, `
func (t *T) look() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n // check c
}

func (t *T) set(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n // act c, lost update
}

func (t *T) F() {
	t.set(7)
	n := t.look()
	t.set(n + 1)
	t.set(n + 2)
}`},
	{"same place", `
func (t *T) look() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *T) F(known bool) {
	n := 1
	if known {
		n = t.look()
	} else {
		println(t.look())
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n
}`, `
func (t *T) look() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n // check c
}

func (t *T) F() {
	println(t.look())
	n := t.look()
	println(t.look())
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n = n + 1 // act c, lost update
}`},
	{"looked again", `
func (t *T) F(k string) *T {
	t.rw.RLock()
	e, ok := t.p[k]
	t.rw.RUnlock()
	if ok {
		return e
	}
	t.rw.Lock()
	defer t.rw.Unlock()
	if e, ok := t.p[k]; ok {
		return e
	}
	e = &T{}
	t.p[k] = e
	return e
}`, `
func (t *T) F(k string) *T {
	t.rw.RLock()
	e, ok := t.p[k] // check c
	t.rw.RUnlock()
	if ok {
		return e
	}
	t.rw.Lock()
	defer t.rw.Unlock()
	if _, ok := t.p["other"]; ok {
		return nil
	}
	e = &T{}
	t.p[k] = e // act c, created
	return e
}`},
	{"looked again", `
func (t *T) get(k string) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p[k]
}

func (t *T) putNew(k string, e *T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p[k] == nil {
		t.p[k] = e
	}
}

func (t *T) F(k string) {
	if t.get(k) == nil {
		t.putNew(k, &T{})
	}
}`, `
func (t *T) get(k string) *T {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.p[k] // check c
}

func (t *T) set(k string, e *T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.p[k] == nil {
		t.p[k] = e // act c, created
	} else {
		t.p[k] = e // act c, created
	}
}

func (t *T) F(k string) {
	if t.get(k) == nil {
		t.set(k, &T{})
	}
}`},
	{"looked again", `
func (t *T) dropLocked(k string) {
	if t.m[k] == 0 {
		delete(t.m, k)
	}
}

func (t *T) F(k string) {
	t.mu.Lock()
	idle := t.m[k] == 0
	t.mu.Unlock()
	if idle {
		t.mu.Lock()
		t.dropLocked(k)
		t.mu.Unlock()
	}
}`, `
func (t *T) dropLocked(k string) {
	if t.m[k] != 0 {
		t.n++
	} else {
		t.n--
	}
	delete(t.m, k) // act c, deleted after
}

func (t *T) F(k string) {
	t.mu.Lock()
	idle := t.m[k] == 0 // check c
	t.mu.Unlock()
	if idle {
		t.mu.Lock()
		t.dropLocked(k)
		t.mu.Unlock()
	}
}`},
	{"looked in between", `
func (t *T) F() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	if n == 0 {
		return
	}
	t.mu.Lock()
	n = t.n
	if n == 0 {
		t.mu.Unlock()
		return
	}
	t.n = n - 1
	t.mu.Unlock()
	t.mu.Lock()
	t.mu.Unlock()
}

func (t *T) G() {
	t.mu.Lock()
	a := t.n
	t.mu.Unlock()
	if a == 0 {
		return
	}
	t.change()
}

func (t *T) change() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	if t.flag {
		t.n = n + 1 // act c, lost update
	}
	t.mu.Unlock()
}`, `
func (t *T) G() {
	t.mu.Lock()
	a := t.n // check c
	t.mu.Unlock()
	if a == 0 {
		return
	}
	t.change()
}

func (t *T) change() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	println(n)
	t.mu.Lock()
	t.n = 1 // act c, flag
	t.mu.Unlock()
}`},
	{"claimed", `
func (t *T) F() {
	t.mu.Lock()
	if t.flag {
		t.mu.Unlock()
		return
	}
	t.flag = true
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.flag = false
	t.mu.Unlock()
}`, `
func (t *T) F() {
	t.mu.Lock()
	if !t.flag { // check c
		t.mu.Unlock()
		return
	}
	t.n = 1
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.flag = false // act c, flag
	t.mu.Unlock()
}`},
	{"claimed", `
func (t *T) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.flag {
		return false
	}
	t.flag = true
	return true
}

func (t *T) F() {
	if !t.begin() {
		return
	}
	work()
	t.mu.Lock()
	t.flag = false
	t.mu.Unlock()
}`, `
func (t *T) bump(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.m[k] // check c
	t.m[k] = n + 1
	return n + 1
}

func (t *T) F(k string) {
	n := t.bump(k)
	work()
	t.mu.Lock()
	t.m[k] = n * 2 // act c, lost update
	t.mu.Unlock()
}`},
	{"claimed", `
func (t *T) ticket() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return t.n
}

func (t *T) F() {
	if t.ticket() > 3 {
		t.ticket()
	}
}`, `
func (t *T) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m["count"]++
	return t.n // check c
}

func (t *T) add() {
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}

func (t *T) F() {
	if t.count() < 3 {
		t.add()
	}
}`},
	{"callers hold a lock", `
func (t *T) F() {
	t.rw.Lock()
	defer t.rw.Unlock()
	t.step()
}

func (t *T) step() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
}`, `
func (t *T) F() {
	t.rw.Lock()
	defer t.rw.Unlock()
	t.step()
}

func (t *T) G() { t.step() }

func (t *T) step() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
}`},
	{"callers hold a lock", `
func (t *T) F() {
	t.rw.Lock()
	defer t.rw.Unlock()
	t.step()
}

func (t *T) step() { t.leap() }

func (t *T) leap() {
	t.mu.Lock()
	n := t.n
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1
	t.mu.Unlock()
}`, `
func (t *T) F() func() {
	t.rw.Lock()
	defer t.rw.Unlock()
	t.step()
	return t.step
}

func (t *T) step() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	t.mu.Lock()
	t.n = n + 1 // act c, lost update
	t.mu.Unlock()
}`},
	{"looked in between", `
func (t *T) F() {
	if !t.on.Load() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if !t.on.Load() {
			go work()
			t.on.Store(true)
		}
	}
}`, `
func (t *T) F() {
	if !t.on.Load() {
		go work()
		if !t.on.Load() { // check c
			go work()
			t.on.Store(true) // act c, flag
		}
	}
}`},
}
