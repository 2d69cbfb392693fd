// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

// delaySources are functions that wait some time between check and act, or for something else.
var delaySources = map[string]string{
	"delay": `
func (t *T) pause() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.n < 3 {
		return 0
	}
	return time.Second
}

func (t *T) F(done chan bool) {
	if d := t.pause(); d > 0 {
		select {
		case <-time.After(d):
		case <-done:
			return
		}
	}
	work()
	t.mu.Lock()
	t.n++
	t.mu.Unlock()
}`,
	"delay in a loop": `
func (t *T) F(done chan bool, do func() error) error {
	for {
		t.mu.Lock()
		n := t.n
		t.mu.Unlock()
		if n >= 3 {
			timer := time.NewTimer(time.Second)
			select {
			case <-done:
				timer.Stop()
				return nil
			case <-timer.C:
			}
		}
		if err := do(); err == nil {
			t.mu.Lock()
			t.n = 0
			t.mu.Unlock()
			return nil
		}
		t.mu.Lock()
		t.n++
		t.mu.Unlock()
	}
}`,
	"waits for others": `
func (t *T) F(done, free chan bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n >= 3 {
		select {
		case <-free:
		case <-done:
			return
		}
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"gives up when it is time": `
func (t *T) F(free chan bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n >= 3 {
		select {
		case <-free:
		case <-time.After(time.Second):
			return
		}
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"remembers the delay": `
func (t *T) F(done chan bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	late := false
	if n >= 3 {
		select {
		case <-time.After(time.Second):
			late = true
		case <-done:
			return
		}
	}
	if late {
		return
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"what was seen ends the delay": `
func (t *T) F(done map[int]chan bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n >= 3 {
		select {
		case <-time.After(time.Second):
		case <-done[n]:
			return
		}
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"only polls": `
func (t *T) F(tick <-chan time.Time) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n >= 3 {
		select {
		case <-tick:
		default:
			return
		}
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"asks more": `
func (t *T) F(done chan bool, more func() bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n >= 3 {
		select {
		case <-time.After(time.Second):
		case <-done:
			return
		}
		if more() {
			return
		}
	}
	t.mu.Lock()
	t.n++ // act c, exceeded
	t.mu.Unlock()
}`,
	"act in a branch that waits": `
func (t *T) F(done chan bool) {
	t.mu.Lock()
	n := t.n // check c
	t.mu.Unlock()
	if n < 3 {
		t.mu.Lock()
		t.n++ // act c, exceeded
		t.mu.Unlock()
		select {
		case <-time.After(time.Second):
		case <-done:
			return
		}
	}
	work()
}`,
}
