// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// retention is for how many versions a chunk stays after the last of its pages was replaced:
// readers may still be there.
const retention = 8

// A Store keeps tables, in versions. What has changed since the last commit is in memory; a commit
// writes it to the file as one chunk. All methods may be called by several goroutines.
type Store struct {
	tables  sync.Map // name -> *Table
	version atomic.Uint64
	every   int // a table's changes between commits

	// chunks has what has been read of the file: number -> *chunk. As in H2, who misses one reads
	// it and puts it there, and two who miss it both do.
	chunks sync.Map

	// freed has for each version that is not yet committed what it has replaced: version ->
	// *freedPages. As in H2, who misses the version puts a new one there, and if two do, what the
	// first has noted is lost. Then chunks seem to be in use forever, and the file grows.
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

// page is what a ref leads to.
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

// chunk is one of the file's.
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

// freedPages is how many pages of each chunk a version has replaced.
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

// Commit writes what has changed, and removes chunks that have not been in use for some versions.
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

// write makes a chunk of the pages that are only in memory, of one moment for all tables.
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

// settle takes from the chunks' pages in use what a version has freed.
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

// Forget drops what has been read of the file, as if the store had just been opened. Nobody else
// may use the store meanwhile.
func (s *Store) Forget() {
	s.chunks.Clear()
	s.file.forget()
}

// A Harm is what the store's faults have done. Neither makes an answer wrong.
type Harm struct {
	Lost  int    // pages that are counted as in use and are not
	Again uint64 // readings of chunks that had been read
}

// Harm compares what is counted with what is. Nobody else may use the store meanwhile.
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
