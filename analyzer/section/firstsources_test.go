// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// firstSources are functions that write first values, and functions that seem to.
var firstSources = map[string]string{
	"first value": `
func (t *T) get(k string) (n int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, ok = t.m[k] // check c
	return
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act c, lost update
}

func (t *T) F(k string, by int) {
	n, ok := t.get(k)
	if !ok {
		t.put(k, by)
		return
	}
	t.put(k, n+by)
}`,
	"first value, looked for by another helper": `
func (t *T) has(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.m[k] // check h
	return ok
}

func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] // check g
}

func (t *T) F(k string) {
	if !t.has(k) {
		t.mu.Lock()
		t.m[k] = 1 // act h, lost update
		t.mu.Unlock()
		return
	}
	n := t.get(k)
	t.mu.Lock()
	t.m[k] = n + 1 // act g, lost update
	t.mu.Unlock()
}`,
	"no first value: the update is of another variable": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n // check n
	r := t.raw // check r
	t.mu.Unlock()
	work()
	t.mu.Lock()
	defer t.mu.Unlock()
	if n == 0 {
		t.n = 7 // act n, flag
	} else {
		t.raw = r + 1 // act r, lost update
	}
}`,
	"first value, one helper for both": `
func (t *T) has(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.m[k] // check h
	return ok
}

func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] // check g
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act h, lost update // act g, lost update
}

func (t *T) F(k string) {
	if !t.has(k) {
		t.put(k, 1)
		return
	}
	t.put(k, t.get(k)+1)
}`,
	"one helper for both, but not always looked at again": `
func (t *T) has(k string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.m[k]
	return ok
}

func (t *T) get(k string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.m[k] // check g
}

func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act g, lost update
}

func (t *T) F(k string, by int) {
	n := 0
	if !t.has(k) {
		t.put(k, 1)
	}
	if by > 3 {
		n = t.get(k)
	}
	t.put(k, n+by)
}`,
	"no first value: the helper of the update looks again": `
func (t *T) raise(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m[k] < 10 {
		t.m[k] = v
	}
}

func (t *T) F(k string) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	if ok {
		t.raise(k, n+1)
		return
	}
	t.mu.Lock()
	t.m[k] = 20 // act c, computed
	t.mu.Unlock()
}`,
	"no first value: the helper of the update looks at a global again": `
var total int

func (t *T) raise(v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if total < 10 {
		total = v
	}
}

func (t *T) F() {
	t.mu.Lock()
	n := total // check c
	t.mu.Unlock()
	work()
	if n > 0 {
		t.raise(n + 1)
		return
	}
	t.mu.Lock()
	total = 20 // act c, flag
	t.mu.Unlock()
}`,
	"no first value: what is there is written back": `
func (t *T) put(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.m[k] = v // act c, lost update
}

func (t *T) F(k string) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	if ok {
		t.put(k, n)
		return
	}
	t.mu.Lock()
	t.m[k] = 1 // act c, computed
	t.mu.Unlock()
}`,
	"no first value: the function writes back what is there": `
func (t *T) F(k string) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.m[k] = n // act c, lost update
		return
	}
	t.m[k] = 1 // act c, computed
}`,
	"no first value: the helper of the update may refuse it": `
func (t *T) set(k string, v int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v > 10 {
		t.m[k] = v // act c, lost update
	}
}

func (t *T) F(k string) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	if ok {
		t.set(k, n+1)
		return
	}
	t.mu.Lock()
	t.m[k] = 1 // act c, computed
	t.mu.Unlock()
}`,
	"no first value: something else decides as well": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok && by > 3 {
		t.m[k] = n + by // act c, lost update
	} else {
		t.m[k] = by // act c, computed
	}
}`,
	"first value, compared": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n > 0 {
		t.mu.Lock()
		t.n = n + 1 // act c, lost update
		t.mu.Unlock()
	} else {
		t.mu.Lock()
		t.n = 1 // act c, lost update
		t.mu.Unlock()
	}
}`,
	"no first value: it is compared as before": `
func (t *T) F() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	if n >= 2 {
		t.mu.Lock()
		t.n = n + 1 // act c, lost update
		t.mu.Unlock()
	} else {
		t.mu.Lock()
		t.n = 1 // act c, flag
		t.mu.Unlock()
	}
}`,
	"no first value: no update each time": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	if !ok {
		t.mu.Lock()
		t.m[k] = by // act c, computed
		t.mu.Unlock()
	} else if n < by {
		t.mu.Lock()
		t.m[k] = n + by // act c, lost update
		t.mu.Unlock()
	}
}`,
	"no first value: the key is there, but the act deletes": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		delete(t.m, k) // act c, deleted after
	} else {
		t.m[k] = n + by // act c, lost update
	}
}`,
	"no first value: the update is made where the key is absent": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.m[k] = by // act c, computed
	} else {
		t.m[k] = n + by // act c, lost update
	}
}`,
	"no first value: what is computed from the look decides": `
func odd(n int) bool { return n%2 != 0 }

func (t *T) F(k string, by int) {
	t.mu.Lock()
	n := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if odd(n) {
		t.m[k] = n + by // act c, lost update
	} else {
		t.m[k] = by // act c, computed
	}
}`,
	"no first value: what is computed from the look is compared": `
func half(n int) int { return n / 2 }

func (t *T) F() {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	work()
	if half(n) > 0 {
		t.mu.Lock()
		t.n = n + 1 // act c, lost update
		t.mu.Unlock()
	} else {
		t.mu.Lock()
		t.n = 7 // act c, flag
		t.mu.Unlock()
	}
}`,
	"no first value: the helper says found for another reason": `
func (t *T) get(k string) (n int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	v, found := t.m[k] // check c
	if v < 0 {
		return 0, t.flag
	}
	return v, found
}

func (t *T) F(k string, by int) {
	n, ok := t.get(k)
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.m[k] = n + by // act c, lost update
	} else {
		t.m[k] = by // act c, computed
	}
}`,
	"no first value: the update is of another key": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.m[string(rune(n))] = n // act c, lost update
	} else {
		t.m[k] = by // act c, computed
	}
}`,
	"no first value: the other write is no update": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	_, ok := t.m[k] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if ok {
		t.m[k] = by // act c, computed
	} else {
		t.m[k] = by + 1 // act c, computed
	}
}`,
	"no first value: it may look again": `
func (t *T) F(k string, by int) {
	for {
		t.mu.Lock()
		n, ok := t.m[k] // check c
		t.mu.Unlock()
		t.rw.Lock()
		t.mu.Lock()
		if !ok {
			t.m[k] = by // act c, computed
		} else if by > 3 {
			t.m[k] = n + by // act c, lost update
		} else {
			t.mu.Unlock()
			t.rw.Unlock()
			continue
		}
		t.mu.Unlock()
		t.rw.Unlock()
	}
}`,
	"no first value: it is written after the update as well": `
func (t *T) F(k string, by int) {
	t.mu.Lock()
	n, ok := t.m[k] // check c
	t.mu.Unlock()
	if ok {
		t.mu.Lock()
		t.m[k] = n + by // act c, lost update
		t.mu.Unlock()
	} else {
		work()
		if by > 3 {
			return
		}
	}
	t.mu.Lock()
	t.m[k] = by // act c, computed
	t.mu.Unlock()
}`,
	"no first value: another element": `
func (t *T) F(i, j int) {
	t.mu.Lock()
	n := t.s[i] // check c
	t.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	if n == 0 {
		t.s[j] = 1 // act c, deleted after
	} else {
		t.s[i] = n + 1 // act c, lost update
	}
}`,
}
