// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package forest

// A split is a part of an item, and the index of the event that split it off.
type split struct {
	part   uint32
	offset uint16 // where it begins; 0 if that isn't known
	index  uint64
}

// Split takes the event after which a part of an item is a separate item. The part begins at an
// offset, from the same origin as the offsets of words; the offset is 0 if it isn't known. Earlier
// accesses to the item count as accesses to the part as well.
func (c *Checker) Split(part, from uint32, offset uint16) {
	if c.parts == nil {
		c.parts = make(map[uint32][]split)
	}
	c.parts[from] = append(c.parts[from], split{part, offset, c.index})
}

// PartsSince passes the function has each part of an item that was split off after an event, and
// the parts of these.
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
			own := loose{first: a}
			if l.last != nil {
				last := *l.last
				last.item = a.item
				own.last = &last
			}
			more = append(more, own)
		}
		if l.last != nil {
			l.last.item = l.first.item
		}
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
	if word := a.kind >> wordShift; word != 0 && a.item&1 == 0 {
		if item, ok := c.wordSince(a.item, a.index, uint16(word-1)); ok {
			a.item = item
			c.owners.own(item, th.number)
			return nil
		}
	}
	own := *a
	c.PartsSince(a.item, a.index, func(part uint32) {
		own.item = part
		c.owners.own(part, th.number)
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
