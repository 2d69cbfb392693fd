// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package offline

import (
	"github.com/commutego/commute/internal/event"
)

// MetaInfo has the numbers of a trace's events, threads and so on: the columns of tables 1 and 2 of
// Mathur and Viswanathan (ASPLOS 2020), and more.
type MetaInfo struct {
	Events       uint64
	Threads      uint64 // that have events or are forked
	Locks        uint64
	Variables    uint64
	Objects      uint64
	Transactions uint64 // marked ones; a nested one is a part of the outer one
	Unary        uint64 // transactions of one event, outside of marked ones
	Nesting      uint64 // the greatest number of transactions within each other
	Open         uint64 // transactions that have not ended
	Ops          [event.Split + 1]uint64

	threads, locks, vars, objects bitmap
	depth                         []uint32
}

// A bitmap is a set of numbers, and how many those are.
type bitmap struct {
	words []uint64
	n     uint64
}

func (b *bitmap) add(i uint32) {
	w := int(i / 64)
	if w >= len(b.words) {
		b.words = append(b.words, make([]uint64, w+1-len(b.words)+len(b.words)/2)...)
	}
	if bit := uint64(1) << (i % 64); b.words[w]&bit == 0 {
		b.words[w] |= bit
		b.n++
	}
}

func (m *MetaInfo) take(events []event.Event, _ bool, _ func(Finding)) bool {
	for i := range events {
		e := &events[i]
		m.Ops[e.Op]++
		m.threads.add(e.Thread)
		for uint64(len(m.depth)) <= uint64(e.Thread) {
			m.depth = append(m.depth, 0)
		}
		depth := &m.depth[e.Thread]
		switch e.Op {
		case event.Split:
			continue
		case event.Read, event.Write:
			m.vars.add(e.Target)
		case event.Acquire, event.Release, event.ReleaseMerge:
			m.locks.add(e.Target)
		case event.Fork, event.Join:
			m.threads.add(e.Target)
		case event.Touch:
			m.objects.add(e.Target)
		case event.Begin:
			if *depth++; *depth == 1 {
				m.Transactions++
				m.Open++
			}
			m.Nesting = max(m.Nesting, uint64(*depth))
			continue
		case event.End:
			if *depth--; *depth == 0 {
				m.Open--
			}
			continue
		}
		if *depth == 0 {
			m.Unary++
		}
	}
	m.Events += uint64(len(events))
	m.Threads, m.Locks, m.Variables, m.Objects = m.threads.n, m.locks.n, m.vars.n, m.objects.n
	return false
}

// A Column is a number of a MetaInfo and its name.
type Column struct {
	Name string
	N    uint64
}

// Columns lists all the numbers, in the order in which they are printed.
func (m *MetaInfo) Columns() []Column {
	list := []Column{
		{"events", m.Events}, {"threads", m.Threads}, {"locks", m.Locks},
		{"variables", m.Variables},
		{"objects", m.Objects}, {"transactions", m.Transactions}, {"unary transactions", m.Unary},
		{"open transactions", m.Open}, {"nesting", m.Nesting},
	}
	for op := event.Read; op <= event.Split; op++ {
		list = append(list, Column{op.String(), m.Ops[op]})
	}
	return list
}
