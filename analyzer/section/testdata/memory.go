// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package memory

import (
	"fmt"
	"sync"
)

type account struct {
	mu      sync.Mutex
	other   sync.Mutex
	rw      sync.RWMutex
	balance int
	state   string
	name    string
	next    *account
	m       map[string]int
	counts  [2]int
}

var (
	mu      sync.Mutex
	config  string
	version int
)

func use(...any) {}

func load() string { return "" }

// Helpers.

func (a *account) get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

func (a *account) set(n int) {
	a.mu.Lock()
	a.balance = n
	a.mu.Unlock()
}

func (a *account) add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

func (a *account) idle() bool {
	a.rw.RLock()
	defer a.rw.RUnlock()
	return a.state == "idle"
}

func (a *account) become(state string) {
	a.rw.Lock()
	defer a.rw.Unlock()
	a.state = state
}

func (a *account) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = 0
}

func (a *account) swap(old, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance == old {
		a.balance = n
	}
}

func (a *account) isZeroLocked() bool { return a.balance == 0 }

func version1() int {
	mu.Lock()
	defer mu.Unlock()
	return version
}

func setVersion(n int) {
	mu.Lock()
	defer mu.Unlock()
	version = n
}

// What is found.

func (a *account) data(n int) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	a.mu.Lock()
	a.balance = was + n // want "balance -3, balance"
	a.mu.Unlock()
}

func (a *account) control() {
	a.rw.RLock()
	state := a.state
	a.rw.RUnlock()
	if state != "idle" {
		return
	}
	a.rw.Lock()
	defer a.rw.Unlock()
	a.state = "busy" // want "state -7, state"
}

func (a *account) early() string {
	a.mu.Lock()
	if a.name != "" {
		defer a.mu.Unlock()
		return a.name
	}
	a.mu.Unlock()
	name := load()
	a.mu.Lock()
	a.name = name // want "name -7, name"
	a.mu.Unlock()
	return name
}

func global() {
	mu.Lock()
	was := config
	mu.Unlock()
	if was == "" {
		mu.Lock()
		config = load() // want "config -4, config"
		mu.Unlock()
	}
}

func captured() {
	var mu sync.Mutex
	n := 0
	go func() {
		mu.Lock()
		was := n
		mu.Unlock()
		mu.Lock()
		n = was + 1 // want "n -3, n"
		mu.Unlock()
	}()
	mu.Lock()
	was := n
	mu.Unlock()
	mu.Lock()
	n = was + 1 // want "n -3, n"
	mu.Unlock()
}

func behind(a *account) {
	a.next.mu.Lock()
	was := a.next.balance
	a.next.mu.Unlock()
	a.next.mu.Lock()
	a.next.balance = was * 2 // want "balance -3, balance"
	a.next.mu.Unlock()
}

func inLoop(list []*account) {
	for _, a := range list {
		a.mu.Lock()
		n := a.balance
		a.mu.Unlock()
		if n == 0 {
			continue
		}
		a.mu.Lock()
		a.balance = 0 // nothing happened since the check
		a.mu.Unlock()
	}
}

func helpers(a *account) {
	was := a.get()
	a.set(was + 1) // want "balance -1, balance"
}

func helpersInOne(a *account) {
	a.set(a.get() + 1) // want `balance \+0, balance`
}

func helpedRead(a *account) {
	if a.get() == 0 {
		a.mu.Lock()
		a.balance = 1 // want "balance -2, balance"
		a.mu.Unlock()
	}
}

func helpedWrite(a *account) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	a.set(was + 1) // want "balance -2, balance"
}

func stateHelpers(a *account) {
	if !a.idle() {
		return
	}
	a.become("busy") // want "state -3, state"
}

func globalHelpers() { setVersion(version1() + 1) } // want `version \+0, version`

// What is not, or not always.

func oneSection(a *account, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	was := a.balance
	a.balance = was + n
}

func (a *account) doubleChecked() {
	a.rw.RLock()
	name := a.name
	a.rw.RUnlock()
	if name != "" {
		return
	}
	a.rw.Lock()
	defer a.rw.Unlock()
	if a.name == "" {
		a.name = load()
	}
}

func (a *account) reread(n int) {
	a.mu.Lock()
	enough := a.balance > n
	a.mu.Unlock()
	if enough {
		a.mu.Lock()
		a.balance -= n // want "balance -4, balance"
		a.mu.Unlock()
	}
}

func (a *account) rereadByHelper() {
	a.mu.Lock()
	zero := a.balance == 0
	a.mu.Unlock()
	if !zero {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isZeroLocked() {
		a.balance = 1
	}
}

func (a *account) independent() {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	fmt.Println(was)
	a.mu.Lock()
	a.balance = 0
	a.mu.Unlock()
}

func (a *account) otherVariable() {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	if was == 0 {
		a.mu.Lock()
		a.name = "empty"
		a.mu.Unlock()
	}
}

func (a *account) otherLock() {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	a.other.Lock()
	a.balance = was + 1
	a.other.Unlock()
}

func otherAccount(a, b *account) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	b.mu.Lock()
	b.balance = was
	b.mu.Unlock()
	b.set(a.get())
}

func (a *account) unlocked(n int) {
	was := a.balance
	a.mu.Lock()
	a.balance = was + n
	a.mu.Unlock()
}

func (a *account) maybeHeld(again bool) {
	a.mu.Lock()
	was := a.balance
	if again {
		a.mu.Unlock()
		use()
		a.mu.Lock()
	}
	a.balance = was + 1
	a.mu.Unlock()
}

func (a *account) keys(k string) {
	a.mu.Lock()
	n := a.m[k]
	a.mu.Unlock()
	a.mu.Lock()
	a.m[k] = n + 1 // want "m -3, m"
	a.mu.Unlock()
}

func (a *account) elements(i int) {
	a.mu.Lock()
	n := a.counts[i]
	a.mu.Unlock()
	a.mu.Lock()
	a.counts[i] = n + 1 // want "counts -3, counts"
	a.mu.Unlock()
}

func moved(a *account) {
	a.mu.Lock()
	was := a.balance
	a.mu.Unlock()
	a = a.next
	a.mu.Lock()
	a.balance = was
	a.mu.Unlock()
}

func rounds(a *account) {
	for {
		a.mu.Lock()
		if a.balance == 0 {
			a.mu.Unlock()
			return
		}
		a.name = "full"
		a.mu.Unlock()
		a.mu.Lock()
		a.state = ""
		a.mu.Unlock()
	}
}

func helpersApart(a *account) {
	if a.get() > 0 {
		use(a)
	}
	a.set(1)
	a.swap(a.get(), 3)
	a.add(a.get()) // want "balance +0, balance"
	if a.get() == 0 {
		a.become("empty")
	}
	if a.idle() {
		a.set(1)
	}
}

func lastHelper(a *account, mu *sync.Mutex) {
	if a.get() == 0 {
		mu.Lock()
		defer mu.Unlock()
		if a.get() == 0 {
			a.set(1)
		}
	}
}

func resets(a *account) {
	if a.get() > 10 {
		a.reset() // want "balance -1, balance"
	}
}

func claims(a *account) {
	a.mu.Lock()
	if a.state == "busy" {
		a.mu.Unlock()
		return
	}
	a.state = "busy"
	a.mu.Unlock()
	use(a)
	a.mu.Lock()
	a.state = ""
	a.mu.Unlock()
}

func claimsSometimes(a *account, now bool) {
	a.mu.Lock()
	if a.state == "busy" {
		a.mu.Unlock()
		return
	}
	if now {
		a.state = "busy"
	}
	a.mu.Unlock()
	use(a)
	a.mu.Lock()
	a.state = "" // want "state -10, state"
	a.mu.Unlock()
}

func claimsLater(a *account) {
	if a.get() == 0 {
		a.set(1) // want "balance -1, balance"
		use(a)
		a.set(2)
	}
}
