// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package refuted

import "fmt"

// A Counter forgets that Load sees what Add adds.
//
//ecl:observer Load()/(n)
//ecl:commute Add(n1), Add(n2): true
//ecl:commute Add(n1), Load()/(n2): true
type Counter struct{ n int64 }

func (c *Counter) Add(n int64) { c.n += n }
func (c *Counter) Load() int64 { return c.n }

// A Scaled forgets that a sum and a product depend on their order, though nobody looks at the sum.
//
//ecl:observer Value()/(x)
//ecl:default false
//ecl:also Add(n1)/sum1, Add(n2)/sum2: unused(sum1) && unused(sum2)
//ecl:also Add(n1)/sum1, Times(n2): unused(sum1)
type Scaled struct{ x int }

func (s *Scaled) Value() int  { return s.x }
func (s *Scaled) Times(n int) { s.x *= n }
func (s *Scaled) Add(n int) (sum int) {
	s.x += n
	return s.x
}

// A MaxRegister keeps the greatest number, and forgets that Set tells the one before.
//
//ecl:observer Max()/(x)
//ecl:commute Set(x1)/(old1), Set(x2)/(old2): true
//ecl:commute Set(x1)/(old1), Max()/(x2): x1 <= old1
type MaxRegister struct{ x int }

func (r *MaxRegister) Max() int { return r.x }
func (r *MaxRegister) Set(x int) (old int) {
	old, r.x = r.x, max(r.x, x)
	return old
}

// A Register forgets that CompareAndSwap may store what another one compares with.
//
//ecl:observer Load()/(x)
//ecl:commute CompareAndSwap(old1, new1)/(ok1), CompareAndSwap(old2, new2)/(ok2): old1 != old2
//ecl:commute CompareAndSwap(old1, new1)/(ok1), Load()/(x2): !ok1 || old1 == new1
type Register struct{ x int }

func (r *Register) Load() int { return r.x }
func (r *Register) CompareAndSwap(old, new int) bool {
	if r.x != old {
		return false
	}
	r.x = new
	return true
}

// An Account forgets that there may not be enough for two.
//
//ecl:observer Balance()/(n)
//ecl:commute Deposit(n1), Deposit(n2): true
//ecl:commute Deposit(n1), Withdraw(n2)/(err2): err2 == nil
//ecl:commute Withdraw(n1)/(err1), Withdraw(n2)/(err2): err1 != nil && err2 != nil
//ecl:commute Deposit(n1), Balance()/(n2): false
//ecl:commute Withdraw(n1)/(err1), Balance()/(n2): err1 != nil
type Account struct{ n uint }

func (a *Account) Balance() uint  { return a.n }
func (a *Account) Deposit(n uint) { a.n += n }
func (a *Account) Withdraw(n uint) error {
	if n > a.n {
		return fmt.Errorf("%d is more than there is", n)
	}
	a.n -= n
	return nil
}

// A Semaphore forgets that one of two may be too much.
//
//ecl:new NewSemaphore(2)
//ecl:sample weight: 1, weight(2)
//ecl:commute TryAcquire(n1)/(ok1), TryAcquire(n2)/(ok2): true
//ecl:commute TryAcquire(n1)/(ok1), Release(): false
//ecl:commute Release(), Release(): true
type Semaphore struct{ free, all weight }

type weight int

func NewSemaphore(n int) (*Semaphore, error) {
	if n < 0 {
		return nil, fmt.Errorf("%d is less than nothing", n)
	}
	return &Semaphore{weight(n), weight(n)}, nil
}

func (s *Semaphore) Release() { s.free = s.all }
func (s *Semaphore) TryAcquire(n weight) bool {
	if n > s.free {
		return false
	}
	s.free -= n
	return true
}

// A Config has structs, and forgets that the last one is kept.
//
//ecl:observer Get()/(o)
//ecl:commute Set(o1), Set(o2): true
//ecl:commute Set(o1), Get()/(o2): false
type Config struct{ o *options }

type options struct {
	Name string
	Next *options
}

func (c *Config) Get() *options  { return c.o }
func (c *Config) Set(o *options) { c.o = o }
