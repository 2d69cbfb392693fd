// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
)

// A circuit is a way of using a store, named as the one of table 2 that it stands for.
type circuit struct {
	name    string
	clients int // goroutines
	prepare func(s *Store)
	step    func(s *Store, c *client) error // an operation
}

// circuits are those of PolePosition that the paper ran on H2. Each client has numbers of its own
// for the rows that it inserts; other rows are shared.
var circuits = []circuit{
	{"ComplexConcurrency", 4, fill, mix{20, 20, 20, 20, 20}.step},
	{"ComplexConcurrency (alternate query distrib.)", 4, fill, mix{10, 40, 30, 15, 5}.step},
	{"QueryCentricConcurrency", 4, fill, mix{4, 45, 45, 4, 2}.step},
	{"InsertCentricConcurrency", 4, fill, mix{80, 10, 0, 10, 0}.step},
	{"Complex", 1, fill, mix{20, 20, 20, 20, 20}.step},
	{"NestedLists", 1, func(*Store) {}, nestedLists},
}

// A client is a goroutine that uses the store.
type client struct {
	*rand.Rand
	number, of uint64
	inserted   uint64
}

// run makes that many operations, about as many by each client. They are the same for the same
// seed.
func (c *circuit) run(s *Store, operations, seed uint64) error {
	var all sync.WaitGroup
	errs := make([]error, c.clients)
	for i := range errs {
		n := uint64(c.clients)
		share := (operations + n - 1 - uint64(i)) / n
		cl := &client{Rand: rand.New(rand.NewPCG(seed, uint64(i))), number: uint64(i), of: n}
		all.Go(func() {
			for range share {
				if errs[i] = c.step(s, cl); errs[i] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

const (
	objects = 2000 // that there are before a circuit begins
	classes = 5
)

// The objects of the Complex circuits are of classes, of which each extends the one before. The
// fields of a class are in a table of its own. An object of class 2, say, has rows in tables 0, 1
// and 2, with its number.

func classTable(s *Store, class uint64) *Table {
	return s.Table("holder" + strconv.FormatUint(class, 10))
}

func classOf(id uint64) uint64 { return id * 0x9e3779b97f4a7c15 >> 33 % classes }

func fields(id, class, change uint64) string {
	return fmt.Sprintf("%d of class %d, changed %d times, and what else there is to be said",
		id, class, change)
}

// fill makes the first objects, all by one goroutine.
func fill(s *Store) {
	for id := range uint64(objects) {
		if err := insert(s, id); err != nil {
			panic(err) // nobody else uses the store
		}
	}
}

// A mix is how many of a hundred operations are of each kind.
type mix struct{ insert, get, query, update, delete int }

// step makes one operation, whose kind is drawn.
func (m mix) step(s *Store, c *client) error {
	n, id := c.IntN(100), c.Uint64N(objects)
	if n -= m.insert; n < 0 {
		c.inserted++
		return insert(s, objects+c.inserted*c.of+c.number)
	}
	if n -= m.get; n < 0 {
		return get(s, id)
	}
	if n -= m.query; n < 0 {
		return query(s, id)
	}
	if n -= m.update; n < 0 {
		return update(s, id)
	}
	return remove(s, id)
}

func insert(s *Store, id uint64) error {
	for class := range classOf(id) + 1 {
		if err := classTable(s, class).Put(id, fields(id, class, 0)); err != nil {
			return err
		}
	}
	return nil
}

func get(s *Store, id uint64) error {
	for class := range classOf(id) + 1 {
		if _, _, err := classTable(s, class).Get(id); err != nil {
			return err
		}
	}
	return nil
}

// query looks for some objects by what their fields are, in the tables of two classes.
func query(s *Store, id uint64) error {
	wanted := strconv.FormatUint(id%10, 10) + " of class"
	rows, err := classTable(s, 0).Query(id, id+200,
		func(r Row) bool { return strings.Contains(r.Value, wanted) })
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, _, err := classTable(s, 1).Get(r.Key); err != nil {
			return err
		}
	}
	return nil
}

func update(s *Store, id uint64) error {
	for class := range classOf(id) + 1 {
		if _, err := classTable(s, class).Update(id, func(v string) string {
			return v[:len(v)-1] +
				"!"
		}); err != nil {
			return err
		}
	}
	return nil
}

func remove(s *Store, id uint64) error {
	for class := range classOf(id) + 1 {
		if _, err := classTable(s, class).Delete(id); err != nil {
			return err
		}
	}
	return nil
}

// nestedLists makes, reads, changes or deletes a list of lists, three deep.
func nestedLists(s *Store, c *client) error {
	const depth, breadth, most = 3, 3, 64
	lists := s.Table("lists")
	first := c.Uint64N(most) * 32 // of a list's rows
	rows, err := lists.Query(first, first+1, func(Row) bool { return true })
	if err != nil {
		return err
	}
	switch n := c.IntN(10); {
	case len(rows) == 0:
		next := first + 1
		return makeList(lists, first, &next, depth, breadth)
	case n < 6:
		return eachList(lists, first, func(uint64) error { return nil })
	case n < 9:
		return eachList(lists, first, func(id uint64) error {
			_, err := lists.Update(id, func(v string) string { return v + " " })
			return err
		})
	}
	return eachList(lists, first, func(id uint64) error {
		_, err := lists.Delete(id)
		return err
	})
}

// makeList makes a list with the number id, and those in it from number *next on.
func makeList(t *Table, id uint64, next *uint64, depth, breadth int) error {
	var b strings.Builder
	for range breadth {
		if depth == 1 {
			break
		}
		child := *next
		*next++
		fmt.Fprintf(&b, "%d ", child)
		if err := makeList(t, child, next, depth-1, breadth); err != nil {
			return err
		}
	}
	return t.Put(id, b.String())
}

// eachList calls f for all lists in a list, and then for itself.
func eachList(t *Table, id uint64, f func(id uint64) error) error {
	row, _, err := t.Get(id)
	if err != nil {
		return err
	}
	for word := range strings.FieldsSeq(row) {
		child, err := strconv.ParseUint(word, 10, 64)
		if err != nil {
			return err
		}
		if err := eachList(t, child, f); err != nil {
			return err
		}
	}
	return f(id)
}
