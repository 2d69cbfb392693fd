// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"math/rand"
	"slices"

	"github.com/commutego/commute/internal/engine/compiled"
)

// A machine is the state of a program that runs. It is a value: a copy goes on by itself.
type machine struct {
	vars  [nVars + nAtomics]int
	maps  [nMaps][nKeys]int // 0: the key is absent
	elems [nBlocks][nElems]int
	sent  [2]int       // what is in the channels
	clock [2][3]uint32 // of the channels: what was done before all sends so far
	outer int          // the goroutine that holds the outer lock, plus 1
	g     [3]process
	time  uint32
}

// A process is a goroutine of a machine.
type process struct {
	call, step int
	regs       [maxRegs]int
	clock      [3]uint32 // up to when it knows what each goroutine did, but for locks
}

// A happening is an operation that a goroutine has made. It may be of two points: a key of a map,
// and the map's length.
type happening struct {
	op            *op
	g, call       int
	time          uint32 // that of the step
	key           int
	before, after int // of the variable or key; or of the length, of Len
	length        int // of the map after it
	lengthBefore  int
	clock         [3]uint32 // what its goroutine knew
}

// done reports whether a goroutine has ended.
func (m *machine) done(p *program, g int) bool { return m.g[g].call == len(p.calls[g]) }

// next is the next step of a goroutine.
func (m *machine) next(p *program, g int) *step {
	x := &m.g[g]
	return &p.calls[g][x.call].fn.steps[x.step]
}

// ready reports whether a goroutine can go on.
func (m *machine) ready(p *program, g int) bool {
	if m.done(p, g) {
		return false
	}
	s := m.next(p, g)
	switch s.kind {
	case receives:
		return m.sent[s.on] > 0
	case locks:
		return m.outer == 0
	}
	return true
}

// run makes the next step of a goroutine. It appends to list what happens, and reports whether the
// call is over.
func (m *machine) run(p *program, g int, list []happening) ([]happening, bool) {
	x := &m.g[g]
	c := &p.calls[g][x.call]
	s := m.next(p, g)
	m.time++
	x.clock[g] = m.time
	returned, exits := false, false
	switch s.kind {
	case sends:
		m.sent[s.on]++
		learn(&m.clock[s.on], &x.clock)
	case receives:
		m.sent[s.on]--
		learn(&x.clock, &m.clock[s.on])
	case locks:
		m.outer = g + 1
	case unlocks:
		m.outer = 0
	default:
		for _, o := range s.ops {
			if o.ifs != nil && !o.ifs.holds(&x.regs) {
				continue
			}
			if o.isReturn {
				returned, exits = true, o.exits
				break
			}
			h := m.do(o, c, &x.regs)
			h.g, h.call, h.time, h.clock = g, x.call, m.time, x.clock
			list = append(list, h)
		}
	}
	x.step++
	if returned && m.outer == g+1 {
		m.outer = 0
	}
	if returned || x.step == len(c.fn.steps) {
		x.step, x.regs = 0, [maxRegs]int{}
		if x.call++; exits {
			x.call = len(p.calls[g])
		}
		return list, true
	}
	return list, false
}

func learn(to, from *[3]uint32) {
	for i := range to {
		to[i] = max(to[i], from[i])
	}
}

// do makes one operation.
func (m *machine) do(o *op, c *call, regs *[maxRegs]int) happening {
	h := happening{op: o, key: c.key}
	if o.otherKey {
		h.key = 1 - c.key
	}
	at := &m.maps[o.v%nMaps][h.key]
	if o.atomic {
		h.key = 0
	}
	switch {
	case o.onBlock():
		at = &m.elems[o.v%nBlocks][o.element]
	case !o.onMap():
		at = &m.vars[o.v]
	}
	h.before = *at
	length := m.length(o.v % nMaps)
	value := 1
	switch {
	case o.from == fromToken:
		value = c.token
	case o.from >= 0:
		value = regs[o.from] + 1
	}
	switch o.kind {
	case compiled.ReadVar, compiled.Lookup, compiled.ReadBacking:
		regs[o.reg] = *at
	case compiled.Len:
		regs[o.reg] = length
		h.before, h.after, h.length, h.lengthBefore = length, length, length, length
		return h
	case compiled.WriteVar, compiled.Insert, compiled.WriteBacking:
		*at = value
	case compiled.UpdateVar:
		*at++
	case compiled.Delete:
		*at = 0
	}
	h.after = *at
	h.length = m.length(o.v % nMaps)
	h.lengthBefore = length
	return h
}

func (m *machine) length(v int) (n int) {
	for _, x := range m.maps[v] {
		if x != 0 {
			n++
		}
	}
	return n
}

// writesPointOf reports whether a happening is a write at the point that a check is of.
func (h *happening) writesPointOf(check *happening) bool {
	if h.op.isRead() || h.op.v != check.op.v || h.op.onMap() != check.op.onMap() ||
		h.op.onBlock() {
		return false
	}
	return !check.keyed() || h.key == check.key
}

// changes reports whether a happening has changed the point that a check is of.
func (h *happening) changes(check *happening) bool {
	if !h.writesPointOf(check) {
		return false
	}
	if check.op.kind == compiled.Len {
		return h.length != h.lengthBefore
	}
	return h.before != h.after
}

// The addresses of the program's locks, variables, maps and channels in the engine's eyes.
func lockAddr(i int) uintptr { return mutex + uintptr(i)*64 }
func varAddr(i int) uintptr  { return object + uintptr(i)*8 }
func mapAddr(i int) uintptr  { return object + 0x100 + uintptr(i)*64 }
func elemAddr(i int) uintptr { return object + 0x200 + uintptr(i)*64 }
func chanAddr(i int) uintptr { return chanel + uintptr(i)*64 }

const outerAddr = mutex + 0x800

// execute runs a program in a random order, under the engine's eyes. Turns is how likely another
// goroutine goes on after each step: one in so many times.
func (p *program) execute(s *script, r *rand.Rand, turns int) (trace []happening) {
	for _, f := range p.functions {
		s.register(&f.code)
		if !s.late {
			f.heat(&s.world)
		}
	}
	var m machine
	for range p.calls {
		s.start(nil)
	}
	g := r.Intn(len(p.calls))
	for {
		var ready []int
		for i := range p.calls {
			if m.ready(p, i) {
				ready = append(ready, i)
			}
		}
		if len(ready) == 0 {
			break
		}
		if !m.ready(p, g) || r.Intn(turns) == 0 {
			g = ready[r.Intn(len(ready))]
		}
		trace = p.follow(s, &m, g, trace)
	}
	s.finish()
	return trace
}

// heat makes what a function touches hot.
func (f *function) heat(w *World) {
	for i := range f.steps {
		for _, o := range f.steps[i].ops {
			if o.touch != nil {
				w.Heat(o.touch)
			}
		}
	}
}

// enter has a goroutine enter a function with pairs. Its package is hot from then on.
func (p *program) enter(g *goroutine, f *function) {
	if s := g.s; s.late && !slices.Contains(s.hot, f.pkg) {
		s.world.Begin()
		s.hot = append(s.hot, f.pkg)
		for _, o := range p.functions {
			if o.pkg == f.pkg {
				o.heat(&s.world)
				s.world.lookFor(&o.code)
			}
		}
	}
	g.enter(&f.code)
}

// follow makes the next step of a goroutine, under the engine's eyes.
func (p *program) follow(s *script, m *machine, i int, trace []happening) []happening {
	g := s.started[i]
	x, st := m.g[i], m.next(p, i)
	fn := p.calls[i][x.call].fn
	if x.step == 0 && len(fn.pairs) > 0 {
		p.enter(g, fn)
	}
	hot := !s.late || slices.Contains(s.hot, fn.pkg)
	lock := func(how *compiled.LockSite, addr uintptr) {
		if hot {
			g.lock(how, addr)
		} else {
			g.acquire(addr)
		}
	}
	held := m.outer == i+1
	n := len(trace)
	if st.kind == inSection && !st.free {
		how := complete
		switch {
		case st.opaque:
			how = opaque
		case st.read:
			how = completeRead
		}
		lock(how, lockAddr(st.on))
	}
	trace, over := m.run(p, i, trace)
	switch st.kind {
	case sends:
		g.release(chanAddr(st.on), true)
	case receives:
		g.acquire(chanAddr(st.on))
	case locks:
		lock(complete, outerAddr)
	case unlocks:
		g.unlock(outerAddr)
	default:
		for j := n; j < len(trace); j++ {
			if trace[j].op.atomic {
				g.atomic(&trace[j], hot)
			} else if hot {
				g.touch(&trace[j])
			}
		}
		if !st.free {
			g.unlock(lockAddr(st.on))
		}
	}
	if held && m.outer == 0 && st.kind != unlocks {
		g.unlock(outerAddr)
	}
	if over && len(fn.pairs) > 0 {
		g.leave()
	}
	return trace
}

// touch tells the engine of an operation. Values are the engine's: its 0 is an absent key.
func (g *goroutine) touch(h *happening) {
	addr, key, n := varAddr(h.op.v), uint64(0), uint64(0)
	if h.op.onBlock() {
		if addr = elemAddr(h.op.v); Noted(&g.Thread, h.op.touch, addr) {
			return
		}
		value := Unknown
		if h.op.isRead() {
			value = mix(uint64(h.op.element), uint64(h.after)) // of a slice of one element
		}
		g.Touch(g, h.op.touch, addr, 0, value, 0)
		return
	}
	if h.op.onMap() {
		addr = mapAddr(h.op.v)
		n = uint64(h.length)
		if h.op.kind != compiled.Len {
			key = uint64(h.key) + 1
		}
	}
	g.Touch(g, h.op.touch, addr, key, uint64(h.after), n)
}

// keyed reports whether a happening is of a key of a map.
func (h *happening) keyed() bool { return h.op.onMap() && h.op.kind != compiled.Len }
