// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package a

import (
	"io/fs"
	"sync"
)

// A Cache is right.
//
//ecl:observer Get(k)/(v, ok), Len()/n
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2
//ecl:commute Put(k1, v1), Get(k2)/(v2, ok2): k1 != k2
//ecl:commute Put(k1, v1), Len()/n2: v1 == nil
//ecl:callback Each(f)
//ecl:default false
type Cache[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (c *Cache[K, V]) Get(k K) (v V, ok bool)  { v, ok = c.m[k]; return }
func (c *Cache[K, V]) Put(k K, v V)            { c.m[k] = v }
func (c *Cache[K, V]) Len() int                { return len(c.m) }
func (c *Cache[K, V]) Each(f func(K, V) bool)  {}
func (c *Cache[K, V]) Other(f func(K, V) bool) {}

type (
	// A Set is in a group.
	//
	//ecl:commute Add(x1), Add(x2): true
	//ecl:commute Add(x1), Has(x2)/ok2: x1 != x2 // want `Set declares no method Has \(did you mean Had\?\)`
	//ecl:commute Has(x1)/ok1, Has(x2)/ok2: true
	Set struct{ m map[int]bool }

	// A List has too few formulas.
	//
	//ecl:commute Push(x1), Push(x2): true // want `no formula for the pair Push, Pop \(add //ecl:commute Push\(x\), Pop\(\)/\(x\): ..., or //ecl:default false\)`
	//ecl:commute Pop()/x1, Pop()/x2: false
	List struct{}
)

func (s *Set) Add(x int)      { s.m[x] = true }
func (s *Set) Had(x int) bool { return s.m[x] }
func (l *List) Push(x int)    {}
func (l *List) Pop() int      { return 0 }

// Arity has other parameters and results than are named.
//
//ecl:commute One(x1, y1), One(x2, y2): true // want `method One of Arity has 1 parameter, not 2 \(name each of them, or write _ for it\)`
//ecl:commute Two(x1)/r1, Two(x2)/r2: true // want `method Two of Arity has 2 results, not 1`
//ecl:commute Value(x1), Value(x2): true // want `method Value of Arity has a value receiver, so that each call has an object of its own \(give it a pointer receiver, or name the field that all copies share with //ecl:identity\)`
//ecl:commute Call(k1, f1), Call(k2, f2): true // want `method Call of Arity has a function for a parameter, which runs inside the call \(say which with //ecl:callback Call\(_, f\)\)`
//ecl:commute Asm(x1), Asm(x2): true // want `method Asm of Arity has no body in Go \(specify a method that calls it\)`
//ecl:commute Len(), Len(): true // want `Arity declares no method Len \(a method of an embedded type is specified at that type\)`
//ecl:default false
type Arity struct{}

func (*Arity) One(x int)               {}
func (*Arity) Two(x int) (int, error)  { return 0, nil }
func (Arity) Value(x int)              {}
func (*Arity) Call(k string, f func()) {}
func (*Arity) Asm(x int)

// Wrong has a formula outside the logic.
//
//ecl:commute Put(k1, v1), Put(k2, v2): k1 != k2 || v1 == v2 // want `v1 == v2`
type Wrong struct{}

// Word has no such directive.
//
//ecl:comute Put(k1, v1), Put(k2, v2): true // want `unknown directive //ecl:comute`
type Word struct{}

func (*Word) Put(k, v int) {}

func (*Wrong) Put(k, v int) {}

// Asymmetric says something else when the calls change places.
//
//ecl:commute Put(k1, v1), Put(k2, v2): v1 == 0 // want `the formula of Put with itself is not symmetric`
type Asymmetric struct{}

func (*Asymmetric) Put(k, v int) {}

// Spaced is what gofmt makes of a line that is no directive.
//
// ecl:commute Put(k1), Put(k2): true // want `a directive has no space after // \(write //ecl: without the space\)`
type Spaced struct{}

func (*Spaced) Put(k int) {}

// F is no type.
//
//ecl:commute F(x1), F(x2): true // want `this directive belongs to no type`
func F(x int) {}

// An Iface is specified for what implements it.
//
//ecl:commute Put(k1), Put(k2): k1 < 3 && k2 < 3
//ecl:commute Get(k1)/v1, Put(k2): k1 != k2
//ecl:observer Get(k)/v
type Iface interface {
	Put(k int)
	Get(k int) (v string)
}

//ecl:commute Put(k1, v1), Put(k2, v2): true // want `method Put of Wide has 1 parameter, not 2`
//ecl:commute Gett(k1), Gett(k2): true // want `Wide has no method Gett`
//ecl:default false
type Wide interface {
	Iface
	Len() int
}

//ecl:commute Lenn(), Lenn(): true // want `Narrow declares no method Lenn \(did you mean Len\?\)`
type Narrow interface{ Len() int }

const limit, kindRead = 10, 1

type request struct {
	kind  int
	flag  bool
	inner struct{ n int }
	next  *request
}

func (request) method() bool { return true }

// Constants has conditions with constants of the package, and with fields.
//
//ecl:commute Add(n1), Add(n2): n1 < limit && n2 < limit
//ecl:commute Do(r1), Do(r2): r1.kind == kindRead && r1.inner.n == 0 && r1.flag && r2.kind == kindRead && r2.inner.n == 0 && r2.flag
//ecl:commute Do(r1), Add(n2): n2 < limi // want `unknown variable limi \(name it in one of the two calls, or did you mean limit\?\)`
type Constants struct{}

func (*Constants) Add(n int)    {}
func (*Constants) Do(r request) {}

// Fields selects what it must not.
//
//ecl:commute Do(r1), Do(r2): r1.next.flag && r2.next.flag // want `flag is behind a pointer, where others may write it`
//ecl:commute Ptr(r1), Ptr(r2): r1.flag && r2.flag // want `flag is behind a pointer`
//ecl:commute Met(r1), Met(r2): r1.method && r2.method // want `method is a method, and conditions call nothing`
//ecl:commute Non(r1), Non(r2): r1.none && r2.none // want `r.none undefined`
//ecl:commute Cmp(a1, b1), Cmp(a2, b2): a1 == b1 && a2 == b2 // want `mismatched types int and string`
//ecl:default false
type Fields struct{}

func (*Fields) Do(r request)        {}
func (*Fields) Ptr(r *request)      {}
func (*Fields) Met(r request)       {}
func (*Fields) Non(r request)       {}
func (*Fields) Cmp(a int, b string) {}

// registry is what functions of the package are about.
//
//ecl:observer Lookup(name)/(n, ok)
//ecl:commute Register(name1, n1), Register(name2, n2): name1 != name2
//ecl:commute Register(name1, n1), Lookup(name2)/(n2, ok2): name1 != name2
var registry = map[string]int{}

func Register(name string, n int) { registry[name] = n }

func Lookup(name string) (n int, ok bool) { n, ok = registry[name]; return }

//ecl:commute Registr(name1), Registr(name2): true // want `the package declares no function Registr \(did you mean Register\?\)`
var other int

// Shards is copied, and its copies are one object.
//
//ecl:identity shards
//ecl:commute Put(k1), Put(k2): k1 != k2
type Shards struct{ shards []*Keys }

func (Shards) Put(k int) {}

// A Names is a map, and its copies are one object.
//
//ecl:commute Put(k1), Put(k2): k1 != k2
type Names map[string]bool

func (Names) Put(k string) {}

//ecl:identity number // want `number cannot tell objects apart \(name a field of Numbered whose type is written as a pointer, map, channel or slice\)`
//ecl:commute Put(k1), Put(k2): k1 != k2
type Numbered struct{ number int }

func (Numbered) Put(k string) {}

// An Alias is another's name.
//
//ecl:commute Put(k1), Put(k2): true // want `Alias is an alias \(specify the type that it stands for\)`
type Alias = Spaced

// Typed has conditions of the wrong types.
//
//ecl:commute Lt(k1, v1), Lt(k2, v2): k1 < "x" && k2 < "x" // want `the condition k < "x" on a call of Lt is not Go: .*mismatched types int and untyped string`
//ecl:commute Val(k1), Val(k2): k1 && k2 // want `the condition k on a call of Val is not Go: it is of type int`
//ecl:commute Nil(k1), Nil(k2): k1 == nil && k2 == nil // want `the condition k == nil on a call of Nil is not Go`
//ecl:commute Fine(k1, v1)/(w1, ok1), Fine(k2, v2)/(w2, ok2): ok1 && len(k1) > 2 && v1 == w1 && ok2 && len(k2) > 2 && v2 == w2
//ecl:default false
type Typed struct{}

func (*Typed) Lt(k int, v string)                        {}
func (*Typed) Val(k int)                                 {}
func (*Typed) Nil(k int)                                 {}
func (*Typed) Fine(k string, v []int) (w []int, ok bool) { return v, true }

// Keys has values that are no keys.
//
//ecl:commute Add(b1), Add(b2): b1 != b2 // want `b of Add is compared with another call's, but values of type \[\]byte have no ==`
type Keys struct{}

func (*Keys) Add(b []byte) {}

// Recovers calls recover.
//
//ecl:commute Do(), Do(): true // want `method Do of Recovers calls recover, which works only in the function that is deferred itself`
//ecl:commute Fine(), Fine(): true
//ecl:default false
type Recovers struct{}

func (*Recovers) Do()   { _ = recover() }
func (*Recovers) Fine() { defer func() { _ = recover() }() }

type named func()

// Named has a callback of a named type.
//
//ecl:commute Each(f1), Each(f2): true
//ecl:commute Walk(f1), Walk(f2): true // want `method Walk of Named has a callback, f, whose type is no func in sight`
//ecl:commute Untold(f1), Untold(f2): true // want `method Untold of Named has a function for a parameter`
//ecl:callback Each(f)
//ecl:callback Walk(f)
//ecl:default false
type Named struct{}

func (*Named) Each(f named)          { f() }
func (*Named) Walk(f fs.WalkDirFunc) { f("", nil, nil) }
func (*Named) Untold(f named)        { f() }

// Nothing names no method.
//
//ecl:default false // want `the specification of Nothing names no method`
type Nothing struct{}

//ecl:commute Put(k1), Put(k2): k1 != k2 // want `this directive belongs to no type`

type Blank struct{}

func (*Blank) Put(k int) {
	//ecl:default false // want `this directive belongs to no type`
	type local struct{}
	var _ local
}
