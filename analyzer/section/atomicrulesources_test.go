// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// atomicRuleSources are those of the rules for operations of sync/atomic, and for flags.
var atomicRuleSources = []ruleSource{
	{"idle flag", `
func (t *T) F() {
	t.mu.Lock()
	set := t.flag
	t.mu.Unlock()
	if !set {
		t.mu.Lock()
		t.flag = true
		t.mu.Unlock()
	}
}`, `
func (t *T) F() {
	t.mu.Lock()
	set := t.flag // check c
	t.mu.Unlock()
	if !set {
		work()
		t.mu.Lock()
		t.flag = true // act c, flag
		t.mu.Unlock()
	}
}`},
	{"idle flag", `
var goCover_ab12_0 [4]uint32

func (t *T) F() {
	goCover_ab12_0[0] = 1
	t.mu.Lock()
	set := t.flag
	t.mu.Unlock()
	if !set {
		goCover_ab12_0[1] = 1
		atomic.AddUint32(&goCover_ab12_0[2], 1)
		t.mu.Lock()
		t.flag = true
		t.mu.Unlock()
	}
}`, `
var goCover [4]uint32

func (t *T) F() {
	t.mu.Lock()
	set := t.flag // check c
	t.mu.Unlock()
	if !set {
		goCover[1] = 1
		t.mu.Lock()
		t.flag = true // act c, flag
		t.mu.Unlock()
	}
}`},
	{"idle flag", `
func (t *T) F() {
	if !t.on.Load() {
		t.on.Store(true)
	}
}`, `
func (t *T) F() {
	if !t.on.Load() { // check c
		go work()
		t.on.Store(true) // act c, flag
	}
}`},
	{"idle flag", `
func (t *T) note() int {
	return int(t.c.Load())
}

func (t *T) F() {
	if !t.on.Load() {
		t.mu.Lock()
		t.mu.Unlock()
		t.note()
		t.on.Store(true)
	}
}`, `
func (t *T) note(f func()) {
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
	f()
}

func (t *T) F() {
	if !t.on.Load() { // check c
		t.note(work)
		t.on.Store(true) // act c, flag
	}
}`},
	{"arbitrated", `
func (t *T) F() {
	if t.on.Load() || !t.busy.CompareAndSwap(false, true) {
		return
	}
	go work()
	t.on.Store(true)
}`, `
func (t *T) F() {
	if t.on.Load() { // check c
		return
	}
	t.busy.CompareAndSwap(false, true)
	go work()
	t.on.Store(true) // act c, flag
}`},
	{"arbitrated", `
func (t *T) claim() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return t.n == 1
}

func (t *T) F() {
	if !t.on.Load() && t.claim() {
		go work()
		t.on.Store(true)
	}
}`, `
func (t *T) claim() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
	return t.n == 1
}

func (t *T) F() {
	if !t.on.Load() { // check c
		t.claim()
		go work()
		t.on.Store(true) // act c, flag
	}
}`},
	{"arbitrated", `
func (t *T) F() {
	if x := int64(len(t.s)); x > t.c.Load() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if x := len(t.s); t.n < x {
			t.n = x
			t.c.Store(int64(x))
		}
	}
}`, `
func (t *T) F() {
	v := t.c.Load() // check c
	t.mu.Lock()
	defer t.mu.Unlock()
	t.c.Store(v + 1) // act c, lost update
}`},
	{"undecided", `
func (t *T) F(next func() bool) {
	for !t.on.Load() {
		if !next() {
			t.on.Store(true)
			return
		}
	}
}

func (t *T) G(next func() error) {
	for !t.on.Load() {
		if err := next(); err == nil {
			t.on.Store(true)
		}
	}
}`, `
func (t *T) F(next func()) {
	if !t.on.Load() { // check c
		for range 3 {
			next()
		}
		t.on.Store(true) // act c, flag
	}
}`},
	{"undecided", `
func (t *T) F(ping func() bool) bool {
	if t.on.Load() {
		return true
	}
	alive := ping()
	if alive {
		t.on.Store(true)
	}
	return alive
}`, `
func (t *T) F(open func() error) error {
	if t.on.Load() { // check c
		return nil
	}
	if err := open(); err != nil {
		return err
	}
	t.on.Store(true) // act c, flag
	return nil
}`},
	{"undecided", `
func (t *T) F(next func() error) {
	if !t.on.Load() {
		if err := next(); err != nil {
			t.on.Store(true)
		}
	}
}`, `
func (t *T) F(next func() error) {
	v := t.c.Load() // check c
	if err := next(); err != nil {
		t.c.Store(v + 1) // act c, lost update
	}
}`},
	{"undecided", `
func (t *T) begin() {
	if !t.on.Load() {
		t.on.Store(true)
	}
}

func (t *T) F() {
	if !t.on.Load() {
		go work()
		t.begin()
	}
}`, `
func (t *T) begin() {
	t.on.Store(true) // act c, flag
}

func (t *T) F() {
	if !t.on.Load() { // check c
		go work()
		t.begin()
	}
}`},
	{"arbitrated", `
func (t *T) add(v int64) {
	if t.mu.TryLock() {
		t.c.Store(v)
		t.mu.Unlock()
	}
}

func (t *T) F() { t.add(t.c.Load() + 1) }
`, `
func (t *T) add(v int64) {
	if v > 0 {
		t.c.Store(v) // act c, lost update
	}
}

func (t *T) F() {
	t.add(t.c.Load() + 1) // check c
}`},
	{"commutes", `
func (t *T) F() {
	t.c.Add(-t.c.Load())
}`, `
func (t *T) F() {
	if t.c.Load() > 0 { // check c
		t.c.Add(-1) // act c, exceeded
	}
}`},
}
