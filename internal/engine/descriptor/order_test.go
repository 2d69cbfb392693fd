// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

import (
	"math/rand"
	"testing"
)

// A model is a process with pairs of sockets and files, as the kernel has them, and the oracle: who
// reads what. Descriptors are numbers that are used again, as a real process's are.
type model struct {
	t     *testing.T
	r     *rand.Rand
	table *Table
	open  map[int]end // by descriptor
	next  int         // the number of the next pair
	told  bool        // a child process was started
	outer map[int]bool
	wrote map[int][]written // by pair
}

// An end is one side of a pair. A file has side 0 only.
type end struct {
	pair, side int
	kind       Kind
}

// written is a write: where, and the address at which it was released.
type written struct {
	side int
	addr uintptr
}

// name is what the kernel says of an end.
func (e end) name() Name {
	switch e.kind {
	case Stream:
		own, other := Address{Low: 1, Port: uint32(2 * e.pair)}, Address{Low: 1,
			Port: uint32(2*e.pair + 1)}
		if e.side == 1 {
			own, other = other, own
		}
		return Name{Kind: Stream, Own: own, Other: other}
	case File:
		return Inode(File, 1, uint64(e.pair))
	}
	return Inode(e.kind, 2, uint64(2*e.pair+e.side))
}

// order is what the hooks of package runtime ask for.
func (m *model) order(fd int, write bool) Order {
	ask := m.table.Read
	if write {
		ask = m.table.Write
	}
	o := ask(fd)
	if !o.Ask {
		return o
	}
	n := m.open[fd].name()
	c, side, _ := m.table.Identify(fd, &n)
	switch {
	case c == nil:
		return Order{All: true}
	case write:
		return WriteTo(c, side)
	}
	return m.table.ReadFrom(c, side)
}

// add opens a descriptor of an end: the lowest number that is free.
func (m *model) add(e end, owned bool) {
	fd := 3
	for ; ; fd++ {
		if _, used := m.open[fd]; !used {
			break
		}
	}
	m.open[fd] = e
	if owned {
		m.table.Open(fd)
	} else {
		m.table.Close(fd)
	}
}

// pair opens a new pair, or one end of a connection to another process.
func (m *model) pair() {
	m.next++
	kind := []Kind{Stream, Local, File}[m.r.Intn(3)]
	a, b := end{m.next, 0, kind}, end{m.next, 1, kind}
	switch kind {
	case File:
		b = a
	case Local:
		x, y := a.name(), b.name()
		m.table.Made(&x, &y)
	}
	m.add(a, m.r.Intn(4) > 0)
	if kind == Stream && m.r.Intn(4) == 0 {
		m.outer[m.next] = true
		return
	}
	m.add(b, m.r.Intn(4) > 0)
}

// fd is a descriptor that is open, chosen at random.
func (m *model) fd() (int, bool) {
	for fd := range m.open {
		if m.r.Intn(3) == 0 {
			return fd, true
		}
	}
	return 0, false
}

// read checks a read against all writes that may have been read. It must come after them, and after
// no others where all is known.
func (m *model) read(fd int) {
	e := m.open[fd]
	o := m.order(fd, false)
	if o.All {
		return // each write is released there
	}
	if m.outer[e.pair] || e.kind == File && m.told {
		m.t.Fatalf("a read of %v, which others may have written, comes after %#x only", e, o.Addr)
	}
	from := 1 - e.side
	if e.kind == File {
		from = 0
	}
	for pair, list := range m.wrote {
		for _, w := range list {
			if own := pair == e.pair && w.side == from; own && w.addr != o.Addr {
				m.t.Fatalf("a read of %v at %#x misses a write at %#x", e, o.Addr, w.addr)
			} else if !own && w.addr == o.Addr {
				m.t.Fatalf("a read of %v comes after a write to side %d of %d", e, w.side, pair)
			}
		}
	}
}

// step does something at random.
func (m *model) step() {
	fd, ok := m.fd()
	switch op := m.r.Intn(20); {
	case !ok || op < 2:
		m.pair()
	case op < 9:
		e := m.open[fd]
		m.wrote[e.pair] = append(m.wrote[e.pair], written{e.side, m.order(fd, true).Addr})
	case op < 16:
		m.read(fd)
	case op < 17:
		m.add(m.open[fd], m.r.Intn(2) == 0) // a copy
	case op < 19:
		m.table.Close(fd)
		delete(m.open, fd)
	case m.r.Intn(40) == 0: // a child process gets the descriptor
		m.table.Child()
		m.told = true
		c, ask := m.table.Of(fd)
		if n := m.open[fd].name(); ask {
			c, _, _ = m.table.Identify(fd, &n)
		}
		if c != nil {
			c.Share()
		}
		m.outer[m.open[fd].pair] = true
	}
}

// TestOrder has processes that open, write, read, copy and close at random.
func TestOrder(t *testing.T) {
	for seed := range int64(300) {
		m := &model{t: t, r: rand.New(rand.NewSource(seed)), table: new(Table),
			open: make(map[int]end), outer: make(map[int]bool), wrote: make(map[int][]written)}
		for range 400 {
			m.step()
		}
	}
}

// TestKnown has both ends of a connection known: a read comes after the writes of the other end,
// and not after all.
func TestKnown(t *testing.T) {
	var m = model{table: new(Table), open: make(map[int]end)}
	a, b := end{1, 0, Stream}, end{1, 1, Stream}
	m.add(a, true)
	m.add(b, true)
	if o := m.order(4, false); !o.All {
		t.Error("the other end has not been seen, and the read does not come after all")
	}
	w := m.order(3, true)
	if o := m.order(4, false); o.All || o.Addr != w.Addr || w.Addr == 0 {
		t.Errorf("written at %#x, read %+v", w.Addr, o)
	}
	m.table.Close(3)
	if o := m.order(4, false); o.All || o.Addr != w.Addr {
		t.Errorf("after the other end was closed: written at %#x, read %+v", w.Addr, o)
	}
	m.table.Leak()
	if o := m.order(4, false); !o.All {
		t.Error("descriptors were sent to others, and the read does not come after all")
	}
}

// TestForgotten opens and closes more files than are remembered: then reads of files come after
// all.
func TestForgotten(t *testing.T) {
	m := model{table: new(Table), open: make(map[int]end)}
	for i := range maxIdle + 2 {
		m.open[3] = end{i, 0, File}
		m.table.Open(3)
		m.order(3, true)
		if c := m.table.Close(3); c != nil {
			if i < maxIdle {
				t.Fatalf("file %d was forgotten early", i)
			}
			Drop(c)
		}
	}
	m.open[3] = end{0, 0, File}
	m.table.Open(3)
	if !m.order(3, false).All {
		t.Error("the file was forgotten, and the read does not come after all")
	}
}

// TestConnectionsForgotten makes more connections than are remembered. Files are remembered.
func TestConnectionsForgotten(t *testing.T) {
	m := model{table: new(Table), open: make(map[int]end)}
	m.open[3] = end{0, 0, File}
	m.table.Open(3)
	m.order(3, true)
	m.table.Close(3)
	forgotten := 0
	for i := range maxIdle + 2 {
		name := Name{Kind: Dialer, Own: Address{Low: uint64(i)}}
		if c := m.table.Dialed(m.table.Dialing(), &name); c != nil {
			forgotten++
			Drop(c)
		}
	}
	if forgotten != 2 {
		t.Errorf("%d connections were forgotten, want 2", forgotten)
	}
	m.open[3] = end{0, 0, File}
	m.table.Open(3)
	if m.order(3, false).All {
		t.Error("the read of a file comes after all, as there were many connections")
	}
}
