// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

var ruleSources = []struct{ rule, right, wrong string }{
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
