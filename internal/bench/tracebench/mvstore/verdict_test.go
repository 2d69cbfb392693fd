// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"sync"
	"testing"
)

// The names have the verdicts that commute's check of commutativity must give, as in
// testdata/verdicts. There are no data races, and under go test all of these pass.

// filled is a store with two tables of a few pages, all of them in the file, of which nothing has
// been read.
func filled(t *testing.T) (s *Store, a, b *Table) {
	s = NewStore(1 << 30)
	a, b = s.Table("a"), s.Table("b")
	for key := range uint64(4 * rowsPerPage) {
		must(t, a.Put(key, "of a"))
		must(t, b.Put(key, "of b"))
	}
	s.Commit()
	return s, a, b
}

// warm is filled, and all has been read.
func warm(t *testing.T) (s *Store, a, b *Table) {
	s, a, b = filled(t)
	for key := range uint64(4 * rowsPerPage) {
		get1(t, a, key)
		get1(t, b, key)
	}
	return s, a, b
}

func both(a, b func()) {
	var all sync.WaitGroup
	all.Go(a)
	all.Go(b)
	all.Wait()
}

func get1(t *testing.T, table *Table, key uint64) {
	if _, ok, err := table.Get(key); !ok || err != nil {
		t.Errorf("Get(%d): %v, %v", key, ok, err)
	}
}

func put1(t *testing.T, table *Table, key uint64) {
	if err := table.Put(key, "new"); err != nil {
		t.Error(err)
	}
}

// Two readers miss the same chunk.
func TestRaceChunksReaders(t *testing.T) {
	_, a, b := filled(t)
	both(func() { get1(t, a, 1) }, func() { get1(t, b, 70) })
}

// A writer reads, too.
func TestRaceChunksReaderAndWriter(t *testing.T) {
	_, a, b := filled(t)
	both(func() { get1(t, a, 1) }, func() { put1(t, b, 1) })
}

// A commit removes a chunk that a reader of an old version may look for.
func TestRaceChunksRemoved(t *testing.T) {
	s, a, _ := warm(t)
	old := a.root.Load()
	for key := range uint64(4 * rowsPerPage) {
		put1(t, a, key)
		put1(t, s.Table("b"), key)
	}
	for range retention {
		s.Commit()
	}
	both(s.Commit, func() { _, _ = s.page(old.at(0)) })
}

// Two writers of two tables replace pages in one version.
func TestRaceFreed(t *testing.T) {
	_, a, b := warm(t)
	both(func() { put1(t, a, 1) }, func() { put1(t, b, 1) })
}

// A client that locks the table has the version's freed pages there.
func TestNoRaceFreedInOneTable(t *testing.T) {
	_, a, _ := warm(t)
	both(func() { put1(t, a, 1) }, func() { put1(t, a, 70) })
}

// The version has something freed already.
func TestNoRaceFreedAgain(t *testing.T) {
	_, a, b := warm(t)
	put1(t, a, 1)
	both(func() { put1(t, a, 70) }, func() { put1(t, b, 1) })
}

func TestNoRaceCommitAndWriter(t *testing.T) {
	s, a, _ := warm(t)
	put1(t, a, 1)
	both(s.Commit, func() { put1(t, a, 70) })
}

func TestNoRaceWarmReaders(t *testing.T) {
	_, a, b := warm(t)
	both(func() { get1(t, a, 1); get1(t, b, 1) }, func() { get1(t, a, 1); get1(t, b, 1) })
}

func TestNoRaceReaderAndWriter(t *testing.T) {
	_, a, b := warm(t)
	both(func() { get1(t, a, 1); get1(t, b, 1) }, func() { put1(t, a, 1) })
}

// Nothing is freed by what is new.
func TestNoRaceInserts(t *testing.T) {
	s := NewStore(1 << 30)
	a, b := s.Table("a"), s.Table("b")
	both(func() { put1(t, a, 1) }, func() { put1(t, b, 1) })
}

func TestNoRaceTables(t *testing.T) {
	s := NewStore(10)
	both(func() { s.Table("a") }, func() { s.Table("a") })
}

func TestNoRaceCommits(t *testing.T) {
	s, a, _ := warm(t)
	put1(t, a, 1)
	both(s.Commit, s.Commit)
}

func TestNoRaceOneClient(t *testing.T) {
	for _, c := range circuits {
		if c.clients == 1 {
			if _, err := measure(&c, 200, 1); err != nil {
				t.Error(err)
			}
		}
	}
}
