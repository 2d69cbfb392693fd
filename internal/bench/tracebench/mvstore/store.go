// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// retention is the number of versions for which a chunk stays after its last page was replaced:
// there may still be readers.
const retention = 8

// A Store keeps tables, in versions. Changes since the last commit are in memory; a commit writes
// them to the file as one chunk. All methods may be called by several goroutines.
type Store struct {
	tables  sync.Map // name -> *Table
	version atomic.Uint64
	every   int // a table's changes between commits

	// chunks has the chunks that have been read from the file: number -> *chunk. As in H2, a client
	// that misses one reads it and puts it there, and two clients that miss it both do.
	chunks sync.Map

	// freed has the pages that a version has replaced, for each version that is not yet committed:
	// version -> *freedPages. As in H2, a client that misses the version puts a new entry there. If
	// two clients do, the first one's notes are lost. Then chunks seem to be in use forever, and
	// the file grows.
	freed sync.Map

	file file

	commits sync.Mutex     // the fields below
	live    map[uint32]int // chunk -> how many of its pages seem to be in use
	dead    []deadChunk
	next    uint32 // number of a chunk
}

// A deadChunk has had no page in use since a version.
type deadChunk struct {
	id    uint32
	since uint64
}

// NewStore returns an empty store, in which every so many changes of a table there is a commit.
func NewStore(every int) *Store {
	return &Store{every: max(every, 1), live: make(map[uint32]int),
		file: file{blobs: make(map[uint32]*blob)}}
}

// Table is the table of that name, which is made if it isn't there.
func (s *Store) Table(name string) *Table {
	if t, ok := s.tables.Load(name); ok {
		return t.(*Table)
	}
	t := &Table{store: s, name: name}
	t.root.Store(new(root))
	actual, _ := s.tables.LoadOrStore(name, t)
	return actual.(*Table)
}

// all are the tables there are, by name.
func (s *Store) all() (list []*Table) {
	s.tables.Range(func(_, t any) bool {
		list = append(list, t.(*Table))
		return true
	})
	slices.SortFunc(list, func(a, b *Table) int { return strings.Compare(a.name, b.name) })
	return list
}

// page is the page that a ref leads to.
func (s *Store) page(r ref) (*page, error) {
	switch {
	case r.page != nil:
		return r.page, nil
	case r.pos == 0:
		return &noRows, nil
	}
	c, err := s.chunk(r.pos.chunk())
	if err != nil {
		return nil, err
	}
	return c.page(r.pos.index())
}

// chunk is a chunk of the file.
func (s *Store) chunk(id uint32) (*chunk, error) {
	if c, ok := s.chunks.Load(id); ok {
		return c.(*chunk), nil
	}
	c, err := s.file.read(id)
	if err != nil {
		return nil, err
	}
	s.chunks.Store(id, c)
	return c, nil
}

// freedPages counts the pages of each chunk that a version has replaced.
type freedPages struct {
	mu      sync.Mutex
	byChunk map[uint32]int
}

// free notes that the version that is being written doesn't use a page any more.
func (s *Store) free(p position) {
	version := s.version.Load()
	f, ok := s.freed.Load(version)
	if !ok {
		f = &freedPages{byChunk: make(map[uint32]int)}
		s.freed.Store(version, f)
	}
	pages := f.(*freedPages)
	pages.mu.Lock()
	pages.byChunk[p.chunk()]++
	pages.mu.Unlock()
}

// Commit writes all changes, and removes chunks that have been dead for some versions.
func (s *Store) Commit() {
	s.commits.Lock()
	defer s.commits.Unlock()
	version := s.version.Add(1) - 1
	s.write()
	// Whoever frees a page has its table locked. So now that all tables were locked, the version's
	// pages are complete.
	if f, ok := s.freed.LoadAndDelete(version); ok {
		s.settle(version, f.(*freedPages))
	}
	for len(s.dead) > 0 && s.dead[0].since+retention <= version {
		id := s.dead[0].id
		s.dead = s.dead[1:]
		s.file.remove(id)
		s.chunks.Delete(id)
	}
}

// write makes a chunk of the dirty pages. All belong to one version: all tables are locked at once.
func (s *Store) write() {
	tables := s.all()
	var pages []*page
	for _, t := range tables {
		t.mu.Lock()
		defer t.mu.Unlock()
		pages = t.dirty(pages)
	}
	if len(pages) == 0 {
		return
	}
	s.next++
	s.file.write(s.next, encodeChunk(pages))
	s.live[s.next] = len(pages)
	index := uint32(0)
	for _, t := range tables {
		index = t.clean(s.next, index)
	}
}

// settle subtracts the pages that a version has freed from those of the chunks that are in use.
func (s *Store) settle(version uint64, f *freedPages) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id, n := range f.byChunk {
		if s.live[id] -= n; s.live[id] == 0 {
			delete(s.live, id)
			s.dead = append(s.dead, deadChunk{id, version})
		}
	}
}

// Forget drops the chunks that have been read, as if the store had just been opened. There must be
// no other client meanwhile.
func (s *Store) Forget() {
	s.chunks.Clear()
	s.file.forget()
}

// A Harm counts the effects of the store's faults. Neither makes an answer wrong.
type Harm struct {
	Lost  int    // pages that are counted as in use and are not
	Again uint64 // readings of chunks that had been read
}

// Harm compares the counts of pages in use with the pages. There must be no other client meanwhile.
func (s *Store) Harm() Harm {
	s.Commit()
	used := make(map[uint32]int)
	for _, t := range s.all() {
		for _, r := range t.root.Load().refs {
			if r.pos != 0 {
				used[r.pos.chunk()]++
			}
		}
	}
	h := Harm{Again: s.file.readAgain()}
	for id, n := range s.live {
		h.Lost += n - used[id]
	}
	return h
}
