// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package native

import (
	"math"

	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/spec"
)

// extents are the variables of a trace that names by addresses. A variable is consecutive bytes
// that the program has accessed together only, so an access to many bytes is mostly one event.
// When the program accesses a part of them alone, the Reader splits the variable (see
// event.Event). So checkers find what they would if each byte were a variable.
//
// A variable lies in one page. Its place is in addressTable.made and in sizes.
type extents struct {
	pages  map[uint64]*page
	number uint64 // of the last page that was looked at
	last   *page
	sizes  []uint16          // by variable, in bytes
	words  [][8]uint32       // of words whose bytes are not all of one variable
	free   []uint32          // of those
	names  map[uint64]string // of variables, by their addresses
}

const (
	pageBits = 10
	pageSize = 1 << pageBits
	inBytes  = 1 << 31 // the rest of a word's number is an index of extents.words
)

// A page has the numbers of variables and 1, by word, and 0 for words that were not accessed.
type page [pageSize / 8]uint32

// maxRange is the greatest number of bytes that a step may access.
const maxRange = 1 << 36

// page is the page with a number, nil if nothing of it was accessed.
func (x *extents) page(number uint64) *page {
	if x.last == nil || x.number != number {
		x.number, x.last = number, x.pages[number]
	}
	return x.last
}

// at is the number of the variable, and 1, that has the byte at an offset of a page.
func (x *extents) at(p *page, offset uint64) uint32 {
	n := p[offset/8]
	if n&inBytes != 0 {
		n = x.words[n&^inBytes][offset%8]
	}
	return n
}

// set says which variable, and 1, the bytes in [from, to) of a page are of.
func (x *extents) set(p *page, from, to uint64, n uint32) {
	for from < to {
		w := from / 8
		end := min(to, 8*w+8)
		switch {
		case end-from == 8:
			x.drop(p[w])
			p[w] = n
		default:
			x.divide(&p[w])
			word := &x.words[p[w]&^inBytes]
			for i := from; i < end; i++ {
				word[i%8] = n
			}
			if *word == [8]uint32{} {
				x.drop(p[w])
				p[w] = 0
			}
		}
		from = end
	}
}

// divide lets a word have numbers by byte.
func (x *extents) divide(w *uint32) {
	if *w&inBytes != 0 {
		return
	}
	var i uint32
	if n := len(x.free); n > 0 {
		i = x.free[n-1]
		x.free = x.free[:n-1]
	} else {
		i = uint32(len(x.words))
		x.words = append(x.words, [8]uint32{})
	}
	for b := range x.words[i] {
		x.words[i][b] = *w
	}
	*w = inBytes | i
}

// drop is told that a word doesn't have the number any more.
func (x *extents) drop(n uint32) {
	if n&inBytes != 0 {
		x.free = append(x.free, n&^inBytes)
	}
}

// variable makes a new one of size bytes.
func (r *Reader) variable(address, size uint64) (uint32, error) {
	t := &r.by[spec.Variable]
	if t.next >= inBytes-1 {
		return 0, r.fail("has more than %d variables", inBytes-1)
	}
	v := t.add(address)
	r.setSize(v, size)
	if name, ok := r.bytes.names[address]; ok {
		r.tables.Vars.Set(v, name)
	}
	return v, nil
}

func (r *Reader) setSize(v uint32, size uint64) {
	for uint64(len(r.bytes.sizes)) <= uint64(v) {
		r.bytes.sizes = append(r.bytes.sizes, 0)
	}
	r.bytes.sizes[v] = uint16(size)
}

// extent is where a variable begins and ends.
func (r *Reader) extent(v uint32) (from, to uint64) {
	from = r.by[spec.Variable].made[v]
	return from, from + uint64(r.bytes.sizes[v])
}

// access is convert for an access to size bytes. If that isn't one event, part makes them.
func (r *Reader) access(
	e event.Event, address, size uint64, events []event.Event,
) (n int, err error) {
	if size == 0 {
		return 0, nil
	}
	if size > maxRange || address+size < address || (address+size-1)&atomicBit != 0 {
		return 0, r.fail("accesses %d bytes at %#x", size, address)
	}
	if p := r.bytes.page(address >> pageBits); p != nil {
		if v := r.bytes.at(p, address%pageSize); v != 0 {
			if from, to := r.extent(v - 1); from == address && to == address+size {
				e.Target = v - 1
				events[0] = e
				return 1, nil
			}
		}
	}
	r.more = more{e, address, size}
	return 0, nil
}

// part makes events of the next variable of an access, three at most.
func (r *Reader) part(events []event.Event) (n int, err error) {
	m := &r.more
	a := m.addr
	number := a >> pageBits
	p := r.bytes.page(number)
	if p == nil {
		p = new(page)
		if r.bytes.pages == nil {
			r.bytes.pages = make(map[uint64]*page)
		}
		r.bytes.pages[number], r.bytes.last = p, p
	}
	end := min(a+m.n, (number+1)<<pageBits)
	v := r.bytes.at(p, a%pageSize)
	if v == 0 {
		end = a + r.bytes.unused(p, a%pageSize, end-a)
		if v, err = r.variable(a, end-a); err != nil {
			return 0, err
		}
		r.bytes.set(p, a%pageSize, a%pageSize+end-a, v+1)
	} else {
		v--
		if from, _ := r.extent(v); from < a {
			if v, err = r.split(p, v, a, m.Thread, events[n:]); err != nil {
				return n, err
			}
			n++
		}
		if _, to := r.extent(v); to > end {
			if _, err = r.split(p, v, end, m.Thread, events[n:]); err != nil {
				return n, err
			}
			n++
		} else {
			end = to
		}
	}
	events[n] = m.Event
	events[n].Target = v
	m.addr, m.n = end, m.n-(end-a)
	return n + 1, nil
}

// unused is the number of bytes of a page, from an offset on and at most most, that belong to no
// variable. The first byte belongs to none.
func (x *extents) unused(p *page, offset, most uint64) (n uint64) {
	for n < most && x.at(p, offset+n) == 0 {
		if n++; (offset+n)%8 == 0 {
			for n+8 <= most && p[(offset+n)/8] == 0 {
				n += 8
			}
		}
	}
	return n
}

// split makes a variable of what another has from an address on.
func (r *Reader) split(
	p *page, v uint32, address uint64, thread uint32, events []event.Event,
) (uint32, error) {
	from, to := r.extent(v)
	part, err := r.variable(address, to-address)
	if err != nil {
		return 0, err
	}
	r.bytes.sizes[v] = uint16(address - from)
	r.bytes.set(p, address%pageSize, address%pageSize+to-address, part+1)
	r.tellSplit(part, address)
	events[0] = event.Event{Op: event.Split, Thread: thread, Target: part, Point: v}
	return part, nil
}

// forgetBytes has what is at some addresses of no variable. It makes one event at most.
func (r *Reader) forgetBytes(address, size uint64, events []event.Event) (n int, err error) {
	end := address + size - 1 // the last byte
	if end < address {
		end = math.MaxUint64
	}
	first, last := address>>pageBits, end>>pageBits
	if last-first < uint64(len(r.bytes.pages)) {
		for number := first; number <= last; number++ {
			if p := r.bytes.page(number); p != nil && err == nil {
				n, err = r.forgetIn(p, number, address, end, events, n)
			}
		}
		return n, err
	}
	for number, p := range r.bytes.pages {
		if number >= first && number <= last && err == nil {
			n, err = r.forgetIn(p, number, address, end, events, n)
		}
	}
	return n, err
}

// forgetIn is forgetBytes for a page. If all bytes are in one page, a variable may have bytes on
// both sides of them. Then forgetIn splits off the bytes after them.
func (r *Reader) forgetIn(
	p *page, number, address, end uint64, events []event.Event, n int,
) (int, error) {
	base := number << pageBits
	from, to := max(address, base), min(end, base+pageSize-1)+1
	if to-from == pageSize {
		for _, w := range p {
			r.bytes.drop(w)
		}
		delete(r.bytes.pages, number)
		r.bytes.last = nil
		return n, nil
	}
	if v := r.bytes.at(p, from-base); v != 0 {
		if begin, after := r.extent(v - 1); begin < from {
			if after > to {
				if _, err := r.split(p, v-1, to, 0, events[n:]); err != nil {
					return n, err
				}
				n++
			}
			r.bytes.sizes[v-1] = uint16(from - begin)
		}
	}
	if v := r.bytes.at(p, to-1-base); v != 0 {
		if _, after := r.extent(v - 1); after > to {
			r.by[spec.Variable].made[v-1] = to
			r.bytes.sizes[v-1] = uint16(after - to)
		}
	}
	r.bytes.set(p, from-base, to-base, 0)
	return n, nil
}
