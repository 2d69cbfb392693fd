// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package source

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

// An index finds what is registered by what it is asked for: a package, a line of the source, a
// name. It takes in what a package has registered when something is asked for the first time after
// that. Later look-ups take no lock, and the same time however much is registered.
type index struct {
	lock       offheap.Guard                   // held to take in
	newest     offheap.AtomicRef[registration] // that was taken in: all behind it were too
	packages   table[compiled.Registration]
	directives table[compiled.Directive]
	sites      table[compiled.Site]
	acts       table[compiled.CheckAct]
}

// A table has what is registered of one kind.
type table[T any] struct {
	first offheap.Memo // of the entries of a key, by its hash
}

// An entry is of one thing that is registered. The next one with the same key follows.
type entry[T any] struct {
	next offheap.AtomicRef[entry[T]]
	last offheap.Ref[entry[T]] // of a first entry: the last of those that follow; the lock is held
	by   offheap.Ref[compiled.Registration]
	of   offheap.Ref[T]
}

// A key is what an entry is found by. Entries of other keys may have the same hash, so a look-up
// compares what it finds with the key.
type key struct {
	pkg  string // its path, which may be escaped as in functions' names
	file string // its base name
	line uint32
	name string // of a method, or of a declaration
}

// hash is not 0.
func (k *key) hash() uint64 {
	h := uint64(hashBasis)
	for i := 0; i < len(k.pkg); i++ {
		c := k.pkg[i]
		if c == '%' && i+2 < len(k.pkg) {
			c = text.Unhex(k.pkg[i+1])<<4 | text.Unhex(k.pkg[i+2])
			i += 2
		}
		h = hashByte(h, c)
	}
	h = hashText(hashByte(h, 0), k.file)
	h = (h ^ uint64(k.line)) * hashPrime
	return hashText(h, k.name) | 1
}

const (
	hashBasis = 0xCBF29CE484222325
	hashPrime = 0x100000001B3
)

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * hashPrime }

func hashText(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = hashByte(h, s[i])
	}
	return hashByte(h, 0)
}

// find is the first entry of a key, and perhaps of others.
func (t *table[T]) find(k *key) *entry[T] {
	first, _ := t.first.Get(k.hash())
	return entryAt[T](first)
}

func entryAt[T any](addr uint64) *entry[T] {
	p := uintptr(addr)
	return *(**entry[T])(unsafe.Pointer(&p))
}

// put makes e the last entry of a key; the lock is held.
func (t *table[T]) put(k *key, e *entry[T], by *compiled.Registration, of *T) {
	e.by, e.of = offheap.To(by), offheap.To(of)
	first := entryAt[T](t.first.Put(k.hash(), uint64(uintptr(unsafe.Pointer(e)))))
	if first != e {
		first.last.P().next.Store(e)
	}
	first.last = offheap.To(e)
}

func newEntries[T any](n int) []entry[T] {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*entry[T])(host.Alloc(uintptr(n)*unsafe.Sizeof(entry[T]{}))), n)
}

// upToDate is the index of all that was registered before.
func upToDate() *index {
	x := &Registered.index
	if x.newest.Load() != Registered.first.Load() {
		x.lock.Lock()
		newest, until := Registered.first.Load(), x.newest.Load()
		for r := newest; r != until; r = r.next {
			x.take(r.of.P())
		}
		x.newest.Store(newest)
		x.lock.Unlock()
	}
	return x
}

// take takes in what a package has registered; the lock is held.
func (x *index) take(r *compiled.Registration) {
	x.packages.put(&key{pkg: r.Path}, &newEntries[compiled.Registration](1)[0], r, r)
	directives := newEntries[compiled.Directive](len(r.Directives))
	for i := range directives {
		d := &r.Directives[i]
		x.directives.put(directiveKey(r.Path, d), &directives[i], r, d)
	}
	sites := newEntries[compiled.Site](len(r.Sites))
	for i := range sites {
		s := &r.Sites[i]
		x.sites.put(&key{r.Path, s.File, s.Line, s.Method}, &sites[i], r, s)
	}
	acts := newEntries[compiled.CheckAct](len(r.Acts))
	for i := range acts {
		a := &r.Acts[i]
		x.acts.put(&key{r.Path, a.Check.File, a.Check.Line, a.Check.Method}, &acts[i], r, a)
	}
}
