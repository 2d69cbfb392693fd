// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package brute

import "slices"

// Channels: the first two have buffers for one value and for two, the last one has none.
const (
	channels   = 3
	unbuffered = 2
)

// What an attempt has chosen, if it isn't a channel.
const (
	unchosen = -1
	failed   = -2
)

// pairs are the channels from which a select receives.
var pairs = [...][2]int{{0, unbuffered}, {1, unbuffered}, {0, 1}}

// ways are the channels that an instruction can be on, none if it is on no channel; which way; and
// whether it waits if none is ready.
func (in instruction) ways() (list []int, sends, waits bool) {
	switch in.op {
	case send, receive, trySend, tryReceive:
		list = []int{in.x}
	case choose, chooseElse:
		list = pairs[in.x][:]
	}
	sends = in.op == send || in.op == trySend
	return list, sends, in.op == send || in.op == receive || in.op == choose
}

// now is the next instruction of a thread that can go on.
func (m *machine) now(t int) (in instruction, ok bool) {
	list := m.program.threads[t]
	if !m.started[t] || m.broken[t] || m.pc[t] == len(list) {
		return in, false
	}
	return list[m.pc[t]], true
}

// open reports whether a channel is ready by itself.
func (m *machine) open(c int, sends bool) bool {
	switch {
	case m.closed[c]:
		return !sends // to send would panic
	case c == unbuffered:
		return false
	case sends:
		return m.queued[c] < 1+c
	}
	return m.queued[c] > 0
}

// parks reports whether a thread can be waiting for another one at its next instruction: it may
// come there at any time, and goes on at once if a channel is ready.
func (m *machine) parks(t int) bool {
	in, ok := m.now(t)
	list, sends, waits := in.ways()
	return ok && waits && !slices.ContainsFunc(list, func(c int) bool { return m.open(c, sends) })
}

// partner is a thread that can meet t on the unbuffered channel, or -1. One of them waits, and the
// other one comes.
func (m *machine) partner(t int, sends bool) int {
	if m.closed[unbuffered] {
		return -1
	}
	for u := range m.program.threads {
		in, ok := m.now(u)
		list, way, _ := in.ways()
		if u == t || m.meets != 0 && m.meets != u+1 || !ok || way == sends ||
			!slices.Contains(list, unbuffered) || !m.parks(u) && !m.parks(t) {
			continue
		}
		if c := m.program.chosen[u][m.pc[u]]; c == unchosen || c == unbuffered {
			return u
		}
	}
	return -1
}

// communicate makes a thread's next instruction, which is on channels.
func (m *machine) communicate(t int, in instruction, fresh uint64) (saw uint64, ok bool) {
	list, sends, waits := in.ways()
	c := m.program.chosen[t][m.pc[t]]
	if c == unchosen {
		var ready []int
		for _, c := range list {
			if m.open(c, sends) || c == unbuffered && m.partner(t, sends) >= 0 {
				ready = append(ready, c)
			}
		}
		if c = failed; len(ready) > 0 {
			c = ready[int(fresh>>7)%len(ready)]
		}
	}
	m.took = c
	switch {
	case c == failed:
		for _, c := range list {
			if waits || m.open(c, sends) || sends && m.closed[c] {
				return 0, false
			}
		}
		return 0, true
	case c == unbuffered && !m.closed[c]:
		u := m.partner(t, sends)
		if u < 0 {
			return 0, false
		}
		return m.meet(t, u, sends, fresh), true
	case !m.open(c, sends):
		return 0, false
	}
	switch {
	case sends:
		m.queue[c][m.queued[c]] = fresh
		m.queued[c]++
		m.sent[c]++
		return succeeds(in), true
	case m.queued[c] == 0:
		return uint64(1 + c), true // it is closed
	}
	saw = mix(m.queue[c][0], uint64(1+c))
	copy(m.queue[c][:], m.queue[c][1:])
	m.queued[c]--
	m.got[c]++
	return saw, true
}

// succeeds is what a send sees that is made: one that waits sees nothing.
func succeeds(in instruction) uint64 {
	if in.op == trySend {
		return 1
	}
	return 0
}

// meet has a thread meet another one. The other one has made its instruction as well then.
func (m *machine) meet(t, u int, sends bool, fresh uint64) (saw uint64) {
	with, _ := m.now(u)
	if !sends {
		fresh = m.fresh(u)
	}
	value := mix(fresh, 1+unbuffered)
	m.with, m.arrives = u+1, !m.parks(u)
	if sends {
		in, _ := m.now(t)
		saw, m.withSaw = succeeds(in), value
	} else {
		saw, m.withSaw = value, succeeds(with)
	}
	m.pc[u]++
	m.seen[u] = mix(m.seen[u], m.withSaw+1)
	return saw
}

// fresh is a value that a thread has not written before.
func (m *machine) fresh(t int) uint64 { return mix(m.seen[t]+uint64(t), uint64(m.pc[t])+1) }

// others makes a thread's next instruction of those that RandomProgram doesn't have.
func (m *machine) others(t int, in instruction) (saw uint64, ok bool) {
	switch in.op {
	case closeChannel:
		if m.closed[in.x] {
			return 0, false
		}
		m.closed[in.x] = true
	case grow:
		m.group++
	case shrink:
		if m.group == 0 {
			return 0, false
		}
		m.group--
	case rest:
		if m.group > 0 {
			return 0, false
		}
	case waitBegin:
		if m.writer[in.x] != t+1 {
			return 0, false
		}
		m.writer[in.x] = 0
		m.waiters[m.waiting] = t
		m.waiting++
	case woken:
		if !m.signalled[t] {
			return 0, false
		}
		m.signalled[t] = false
	case signal, broadcast:
		for m.waiting > 0 {
			m.signalled[m.waiters[0]] = true
			copy(m.waiters[:], m.waiters[1:])
			m.waiting--
			if in.op == signal {
				break
			}
		}
	}
	return 0, true
}
