// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// A Table has rows by number. Numbers should be dense: there is a word for each 32 up to the
// greatest. Readers need no lock; they see the version that was the newest when they began.
type Table struct {
	store *Store
	name  string
	root  atomic.Pointer[root]

	mu      sync.Mutex // of who changes something
	changes int
}

// A root is a version of a table. It doesn't change.
type root struct{ refs []ref }

// A ref leads to a page: in memory if it has not been committed, else in the file. The zero ref
// leads to no rows.
type ref struct {
	page *page
	pos  position
}

func (r *root) at(i uint64) ref {
	if i >= uint64(len(r.refs)) {
		return ref{}
	}
	return r.refs[i]
}

// with is a copy with another page.
func (r *root) with(i uint64, to ref) *root {
	refs := make([]ref, max(uint64(len(r.refs)), i+1))
	copy(refs, r.refs)
	refs[i] = to
	return &root{refs}
}

// Row is a row of a table.
type Row struct {
	Key   uint64
	Value string
}

// Get returns a row's value, and whether there is one.
func (t *Table) Get(key uint64) (value string, ok bool, err error) {
	err = t.read(func(r *root) error {
		p, err := t.store.page(r.at(key / rowsPerPage))
		if err == nil {
			slot := uint(key % rowsPerPage)
			value, ok = p.rows[slot], p.has(slot)
		}
		return err
	})
	return value, ok, err
}

// Query returns the rows from one key up to, but without, another for which a condition holds, all
// of one version.
func (t *Table) Query(from, to uint64, where func(Row) bool) (rows []Row, err error) {
	err = t.read(func(r *root) error {
		rows = nil
		for i := from / rowsPerPage; i*rowsPerPage < to && i < uint64(len(r.refs)); i++ {
			p, err := t.store.page(r.at(i))
			if err != nil {
				return err
			}
			for slot := range uint(rowsPerPage) {
				row := Row{i*rowsPerPage + uint64(slot), p.rows[slot]}
				if p.has(slot) && row.Key >= from && row.Key < to && where(row) {
					rows = append(rows, row)
				}
			}
		}
		return nil
	})
	return rows, err
}

// read has f read the newest version, and once more if that version has become too old meanwhile.
func (t *Table) read(f func(*root) error) error {
	for {
		r := t.root.Load()
		if err := f(r); !errors.Is(err, errGone) || t.root.Load() == r {
			return err
		}
	}
}

// Put sets a row.
func (t *Table) Put(key uint64, value string) error {
	return t.change(key, func(p *page, slot uint) *page { return p.with(slot, value) })
}

// Update has f make a row's new value of its old one. It reports whether there was one; if not,
// nothing happens.
func (t *Table) Update(key uint64, f func(value string) string) (ok bool, err error) {
	err = t.change(key, func(p *page, slot uint) *page {
		if ok = p.has(slot); !ok {
			return p
		}
		return p.with(slot, f(p.rows[slot]))
	})
	return ok, err
}

// Delete removes a row, and reports whether it was there.
func (t *Table) Delete(key uint64) (ok bool, err error) {
	err = t.change(key, func(p *page, slot uint) *page {
		if ok = p.has(slot); !ok {
			return p
		}
		return p.without(slot)
	})
	return ok, err
}

// change replaces the page of a key by the one that f makes of it.
func (t *Table) change(key uint64, f func(p *page, slot uint) *page) error {
	due, err := t.replace(key, f)
	if due {
		t.store.Commit()
	}
	return err
}

// replace is change, and reports whether a commit is due.
func (t *Table) replace(key uint64, f func(p *page, slot uint) *page) (due bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, i := t.root.Load(), key/rowsPerPage
	old := r.at(i)
	p, err := t.store.page(old)
	if err != nil {
		return false, err
	}
	next := f(p, uint(key%rowsPerPage))
	if next == p {
		return false, nil
	}
	to := ref{page: next}
	if next.present == 0 {
		to = ref{}
	}
	t.root.Store(r.with(i, to))
	if old.pos != 0 {
		t.store.free(old.pos)
	}
	t.changes++
	return t.changes%t.store.every == 0, nil
}

// dirty appends the pages that are only in memory. The table is locked.
func (t *Table) dirty(pages []*page) []*page {
	for _, r := range t.root.Load().refs {
		if r.page != nil {
			pages = append(pages, r.page)
		}
	}
	return pages
}

// clean notes that the dirty pages are in a chunk now, from an index on. It returns the index after
// them. The table is locked.
func (t *Table) clean(chunk, index uint32) uint32 {
	refs := slices.Clone(t.root.Load().refs)
	for i := range refs {
		if refs[i].page != nil {
			refs[i] = ref{pos: at(chunk, index)}
			index++
		}
	}
	t.root.Store(&root{refs})
	return index
}
