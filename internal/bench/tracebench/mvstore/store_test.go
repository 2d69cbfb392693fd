// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// TestModel compares a store with a map for each table, over random operations by one goroutine.
func TestModel(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 0))
		s := NewStore(1 + r.IntN(50))
		names := []string{"a", "b", "c"}
		model := map[string]map[uint64]string{"a": {}, "b": {}, "c": {}}
		for range 1500 {
			name, key := names[r.IntN(3)], r.Uint64N(300)
			table, want := s.Table(name), model[name]
			switch r.IntN(12) {
			case 0, 1, 2:
				value := strconv.Itoa(r.IntN(1000))
				must(t, table.Put(key, value))
				want[key] = value
			case 3, 4:
				_, had := want[key]
				ok, err := table.Delete(key)
				if must(t, err); ok != had {
					t.Fatalf("seed %d: Delete(%d) = %v, want %v", seed, key, ok, had)
				}
				delete(want, key)
			case 5, 6:
				old, had := want[key]
				ok, err := table.Update(key, func(v string) string { return v + "+" })
				if must(t, err); ok != had {
					t.Fatalf("seed %d: Update(%d) = %v, want %v", seed, key, ok, had)
				}
				if had {
					want[key] = old + "+"
				}
			case 7:
				s.Commit()
			case 8:
				s.Forget()
			case 9:
				checkQuery(t, table, want, key, key+r.Uint64N(100))
			default:
				got, ok, err := table.Get(key)
				if value, had := want[key]; err != nil || got != value || ok != had {
					t.Fatalf("seed %d: Get(%d) = %q, %v, %v, want %q, %v",
						seed, key, got, ok, err, value, had)
				}
			}
		}
		if h := s.Harm(); h.Lost != 0 {
			t.Errorf("seed %d: %d pages are lost, though there is one goroutine", seed, h.Lost)
		}
		for name, want := range model {
			checkQuery(t, s.Table(name), want, 0, 1000)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checkQuery wants the rows with even values between two keys, in order.
func checkQuery(t *testing.T, table *Table, model map[uint64]string, from, to uint64) {
	t.Helper()
	even := func(v string) bool { return v[len(v)-1]%2 == 0 }
	var want []Row
	for _, key := range slices.Sorted(maps.Keys(model)) {
		if key >= from && key < to && even(model[key]) {
			want = append(want, Row{key, model[key]})
		}
	}
	got, err := table.Query(from, to, func(r Row) bool { return even(r.Value) })
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("Query(%d, %d) = %v, %v, want %v", from, to, got, err, want)
	}
}

// TestChunksGo wants chunks to go when none of their pages has been used for some versions, and
// what is newer to stay.
func TestChunksGo(t *testing.T) {
	s := NewStore(1000)
	table := s.Table("t")
	must(t, table.Put(1, "first"))
	s.Commit()
	old := table.root.Load()
	must(t, table.Put(1, "second"))
	for range retention {
		s.Commit()
	}
	if _, err := s.page(old.at(0)); err != nil {
		t.Errorf("an old version is gone too early: %v", err)
	}
	s.Commit()
	if _, err := s.page(old.at(0)); !errors.Is(err, errGone) {
		t.Errorf("an old version is still there, or %v", err)
	}
	if v, ok, err := table.Get(1); v != "second" || !ok || err != nil {
		t.Errorf("Get = %q, %v, %v", v, ok, err)
	}
	if len(s.file.blobs) != 1 {
		t.Errorf("%d chunks, want 1", len(s.file.blobs))
	}
}

// TestConcurrent has clients that each have rows of their own, next to the others', and look after
// each change; each adds to a row that they share, and a reader wants each version to be whole.
func TestConcurrent(t *testing.T) {
	const clients, steps = 4, 400
	s := NewStore(20)
	must(t, s.Table("t").Put(0, "0"))
	var all sync.WaitGroup
	for i := range uint64(clients) {
		all.Go(func() {
			own, shared := s.Table("own"), s.Table("t")
			for n := range uint64(steps) {
				key, value := n%50*clients+i, strconv.FormatUint(n, 10)
				if err := own.Put(key, value); err != nil {
					t.Error(err)
				}
				if got, _, err := own.Get(key); got != value || err != nil {
					t.Errorf("client %d: Get(%d) = %q, %v, want %q", i, key, got, err, value)
				}
				if _, err := shared.Update(0, next); err != nil {
					t.Error(err)
				}
				if _, err := own.Query(0, 1000, func(Row) bool { return true }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got, _, err := s.Table("t").Get(0); got != strconv.Itoa(clients*steps) || err != nil {
		t.Errorf("the shared row is %q, %v, want %d", got, err, clients*steps)
	}
}

func next(v string) string {
	n, _ := strconv.Atoi(v)
	return strconv.Itoa(n + 1)
}

// TestCircuits runs each, twice with one client: what is there at the end must be the same.
func TestCircuits(t *testing.T) {
	for _, c := range circuits {
		r, err := measure(&c, 300, 7)
		if err != nil || r.Operations != 300 || r.Nanoseconds <= 0 {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		if c.clients == 1 && (r.Lost != 0 || r.Again != 0) {
			t.Errorf("%s: harm without concurrency: %+v", c.name, r.Harm)
		}
		if a, b := contents(t, c), contents(t, c); c.clients == 1 && !slices.Equal(a, b) {
			t.Errorf("%s ends with other rows the second time", c.name)
		} else if len(a) == 0 {
			t.Errorf("%s leaves no rows", c.name)
		}
	}
}

func contents(t *testing.T, c circuit) (rows []Row) {
	s := NewStore(100)
	c.prepare(s)
	must(t, c.run(s, 300, 7))
	for _, table := range s.all() {
		more, err := table.Query(0, 1<<40, func(Row) bool { return true })
		must(t, err)
		rows = append(rows, more...)
	}
	return rows
}

// FuzzChunk wants what can be decoded to be what was encoded, and all else to be an error.
func FuzzChunk(f *testing.F) {
	f.Add([]byte{})
	f.Add(encodeChunk([]*page{&noRows, noRows.with(3, "three")}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if p, err := decodePage(b); err == nil {
			if q, err := decodePage(p.encode(nil)); err != nil || *q != *p {
				t.Errorf("%+v becomes %+v, %v", p, q, err)
			}
		}
		c, err := decodeChunk(b)
		if err != nil {
			return
		}
		for i := range c.pages {
			p, err := c.page(uint32(i))
			if q, again := c.page(uint32(i)); p != q || (err == nil) != (again == nil) {
				t.Errorf("page %d is another the second time", i)
			}
		}
	})
}

func TestBrokenChunks(t *testing.T) {
	b := encodeChunk([]*page{noRows.with(0, "zero").with(31, "last")})
	for i := range b {
		b[i]++
		if _, err := decodeChunk(b); !errors.Is(err, errSum) {
			t.Errorf("with byte %d changed: %v", i, err)
		}
		b[i]--
	}
	c, err := decodeChunk(b)
	must(t, err)
	if _, err := c.page(1); !errors.Is(err, errCorrupt) {
		t.Errorf("a page that isn't there: %v", err)
	}
	if p, err := c.page(0); err != nil ||
		p.rows[31] != "last" || p.without(31).has(31) || !p.has(31) {
		t.Errorf("%+v, %v", p, err)
	}
}
