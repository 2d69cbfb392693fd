// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

import "github.com/commutego/commute/internal/check/table"

// A split is a part of an item, and the index of the event that split it off.
type split struct {
	part   uint32
	offset uint16 // where it begins; 0 if that isn't known
	index  uint64
}

// Split takes the event after which a part of an item is an item of its own. The part begins at an
// offset, from the same origin as those of words; 0 if that isn't known. What was done to the item
// before was done to the part as well.
func (c *Checker) Split(part, from uint32, offset uint16) {
	if c.parts == nil {
		c.parts = make(map[uint32][]split)
	}
	c.parts[from] = append(c.parts[from], split{part, offset, c.index})
}

// PartsSince has the parts of an item that were split off after an event, and parts of these.
func (c *Checker) PartsSince(item uint32, index uint64, has func(part uint32)) {
	for _, s := range c.parts[item] {
		if s.index > index {
			has(s.part)
			c.PartsSince(s.part, index, has)
		}
	}
}

// close ends the units that run at the end of the trace, and has each access be one of all parts
// of its item that were split off later. For two units of which one stands for both, what is split
// off between them counts as split off later: that is more than was accessed, never less.
func (c *Checker) close() {
	for _, th := range c.threads {
		if th == nil {
			continue
		}
		if th.now != nil {
			c.end(th)
		}
		if len(c.parts) > 0 {
			c.spread(th)
		}
	}
	c.parts = nil
}

// spread is close for the accesses of a thread.
func (c *Checker) spread(th *thread) {
	for _, u := range th.units {
		u.accesses = withMore(u.accesses, func(a *access) []access {
			return c.accessesOfParts(th, a)
		})
	}
	th.loose = withMore(th.loose, func(l *loose) (more []loose) {
		for _, a := range c.accessesOfParts(th, &l.first) {
			own := loose{a, l.last, l.several}
			own.last.item = a.item
			more = append(more, own)
		}
		l.last.item = l.first.item
		return more
	})
}

// withMore is a list with what comes behind each element. It is the list itself if that is nothing.
func withMore[T any](list []T, more func(*T) []T) []T {
	var longer []T
	for i := range list {
		m := more(&list[i])
		if longer == nil && len(m) > 0 {
			longer = append(longer, list[:i]...)
		}
		if longer != nil || len(m) > 0 {
			longer = append(append(longer, list[i]), m...)
		}
	}
	if longer == nil {
		return list
	}
	return longer
}

// accessesOfParts is what an access is to the parts of its item that were split off later. One of a
// word moves to the part that has the word.
func (c *Checker) accessesOfParts(th *thread, a *access) (list []access) {
	if len(c.parts[a.item]) == 0 {
		return nil
	}
	if a.word != 0 {
		if item, ok := c.wordSince(a.item, a.index, a.word-1); ok {
			a.item = item
			c.ownedBy(th, item)
			return nil
		}
	}
	own := *a
	c.PartsSince(a.item, a.index, func(part uint32) {
		own.item = part
		c.ownedBy(th, part)
		list = append(list, own)
	})
	return list
}

// wordSince is the part of an item that has a word after all that was split off since an event. It
// isn't known if it isn't known where the parts begin.
func (c *Checker) wordSince(item uint32, index uint64, word uint16) (part uint32, ok bool) {
	part, ok = item, true
	begin := uint16(0)
	for _, s := range c.parts[item] {
		switch {
		case s.index <= index:
		case s.offset == 0:
			return 0, false
		case s.offset <= word && s.offset >= begin:
			part, begin = s.part, s.offset
		}
	}
	if part == item {
		return item, true
	}
	return c.wordSince(part, index, word)
}

// ownedBy notes that a thread accesses an item.
func (c *Checker) ownedBy(th *thread, item uint32) {
	c.owners = table.Grow(c.owners, item)
	th.own(&c.owners[item])
}
