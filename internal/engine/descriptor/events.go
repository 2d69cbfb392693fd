// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package descriptor

// Open notes that a descriptor belongs to package internal/poll from now on, which announces when
// it is closed. What was known of it is void.
func (t *Table) Open(fd int) (forgotten *Channel) { return t.reset(fd, fresh) }

// Close notes that a descriptor is going to be closed.
func (t *Table) Close(fd int) (forgotten *Channel) { return t.reset(fd, foreign) }

// Foreign reports whether a descriptor doesn't belong to package internal/poll.
func (t *Table) Foreign(fd int) bool {
	e := t.entry(fd)
	return e == nil || e.state.Load() == foreign
}

// reset takes a descriptor from its channel.
func (t *Table) reset(fd int, state uint32) (forgotten *Channel) {
	if state == foreign && t.entry(fd) == nil {
		return nil
	}
	t.lock.Lock()
	if e := t.makeEntry(fd); e != nil {
		if old := e.state.Load(); old >= known {
			c := e.channel.Load()
			c.open[old-known]--
			if c.open[0]+c.open[1] == 0 {
				t.rest(c)
				forgotten = t.forget()
			}
		}
		e.state.Store(state)
	}
	t.lock.Unlock()
	return forgotten
}

// Made notes that the process has made the two ends of a channel: a pipe or a pair of sockets.
func (t *Table) Made(one, other *Name) (forgotten *Channel) {
	t.lock.Lock()
	t.renew(one)
	t.renew(other)
	at := t.join(one)
	t.add(at.channel.P(), 1, other)
	forgotten = t.forget()
	t.lock.Unlock()
	return forgotten
}

// Identify notes what a descriptor is, and returns its end. What is no end has the zero Name. A
// descriptor that doesn't belong to package internal/poll stays as it is: what is returned is good
// for one read or write.
func (t *Table) Identify(fd int, n *Name) (c *Channel, side int, forgotten *Channel) {
	t.lock.Lock()
	state := uint32(unknown)
	if n.Kind == Constant {
		state = constant
	}
	at := t.find(n)
	if at == nil && n.tells() {
		at = t.join(n)
	}
	if at != nil {
		c, side = at.channel.P(), at.side
		state = known + uint32(side)
	}
	if e := t.entry(fd); e != nil && e.state.Load() == fresh {
		if c != nil {
			t.wake(c)
			c.enter(side)
			e.channel.Store(c)
		}
		e.state.Store(state)
	}
	forgotten = t.forget()
	t.lock.Unlock()
	return c, side, forgotten
}

// Read is the order of a read that was made.
func (t *Table) Read(fd int) Order {
	e := t.entry(fd)
	if e == nil {
		return Order{All: true, Ask: true}
	}
	switch state := e.state.Load(); state {
	case foreign, fresh:
		return Order{All: true, Ask: true}
	case unknown:
		return Order{All: true}
	case constant:
		return Order{}
	default:
		return t.ReadFrom(e.channel.Load(), int(state-known))
	}
}

// ReadFrom is the order of a read at an end.
func (t *Table) ReadFrom(c *Channel, side int) Order {
	from := c.source(side)
	o := Order{Addr: c.written(from)}
	if c.isFile() {
		o.All = t.children.Load()|t.dropped.Load() != 0
	} else {
		o.All = c.seen[from].Load() == 0 || c.shared.Load() != 0
	}
	o.All = o.All || t.leaked.Load() != 0
	return o
}

// Write is the order of a write that is going to be made.
func (t *Table) Write(fd int) Order {
	e := t.entry(fd)
	if e == nil {
		return Order{Ask: true}
	}
	switch state := e.state.Load(); state {
	case foreign, fresh:
		return Order{Ask: true}
	case unknown, constant:
		return Order{}
	default:
		return WriteTo(e.channel.Load(), int(state-known))
	}
}

// WriteTo is the order of a write at an end.
func WriteTo(c *Channel, side int) Order { return Order{Addr: c.written(side)} }

// Share notes that a child process is going to get a descriptor of a channel.
func (c *Channel) Share() { c.shared.Store(1) }

// Of is the channel of a descriptor. If it is not known, ask says that the caller may ask the
// kernel.
func (t *Table) Of(fd int) (c *Channel, ask bool) {
	e := t.entry(fd)
	if e == nil || e.state.Load() < unknown {
		return nil, true
	}
	if e.state.Load() >= known {
		c = e.channel.Load()
	}
	return c, false
}

// Child notes that a child process is going to be started.
func (t *Table) Child() { t.children.Store(1) }

// Leak notes that descriptors may have been sent to other processes.
func (t *Table) Leak() { t.leaked.Store(1) }
