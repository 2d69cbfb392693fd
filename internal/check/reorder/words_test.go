// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package reorder

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/commutego/commute/internal/event"
)

// memory is bytes, which are one variable at first, and variables are split as parts of them are
// accessed.
type memory struct {
	Piece
	of   [24]uint32 // by byte: the variable
	next uint32
}

// origin is where the bytes begin.
const origin = 1000

func (m *memory) step(s Step, e event.Event) {
	m.Steps, m.Events = append(m.Steps, s), append(m.Events, e)
}

// split splits the variable that has the bytes before and after one, if it does.
func (m *memory) split(at int) {
	if at == 0 || at == len(m.of) || m.of[at] != m.of[at-1] {
		return
	}
	from := m.of[at]
	m.next++
	m.step(Step{Offset: origin + uint16(at)},
		event.Event{Op: event.Split, Target: m.next, Point: from})
	for i := at; i < len(m.of) && m.of[i] == from; i++ {
		m.of[i] = m.next
	}
}

// access is a write of some bytes.
func (m *memory) access(from, to int) {
	m.split(from)
	m.split(to)
	for i := from; i < to; i++ {
		if i == from || m.of[i] != m.of[i-1] {
			m.step(Step{Op: Write, Target: m.of[i]},
				event.Event{Op: event.Write, Target: m.of[i]})
		}
	}
}

// TestWordsOfParts has a word that is in a variable be in that part of it which has the word's byte
// at the end, and no step be fixed by that. So the word keeps its order with accesses of its byte.
func TestWordsOfParts(t *testing.T) {
	moved := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 11))
		m := &memory{Piece: Piece{Recorded: true}}
		words := make(map[int]int) // by step: the byte
		for range 2 + r.IntN(14) {
			if at := r.IntN(len(m.of)); r.IntN(2) == 0 {
				words[len(m.Steps)] = at
				m.step(Step{Op: Lock, Also: m.of[at] + 1, Offset: origin + uint16(at)},
					event.Event{Op: event.Acquire})
				m.step(Step{Op: Unlock, Closes: true}, event.Event{Op: event.Release})
			} else {
				m.access(at, at+1+r.IntN(len(m.of)-at))
			}
		}
		before := slices.Clone(m.Steps)
		m.Settle()
		for i, at := range words {
			s := &m.Steps[m.where(i)]
			if s.Fixed || s.Also != m.of[at]+1 {
				t.Fatalf("seed %d, step %d: the word at %d is in %d, want %d; fixed: %v", seed, i,
					at, int(s.Also)-1, m.of[at], s.Fixed)
			}
			if s.Also != before[i].Also {
				moved++
			}
		}
	}
	if moved < 1000 {
		t.Errorf("%d words were in a part, want more", moved)
	}
}

// where is the first step with an index.
func (m *memory) where(index int) int {
	for i := range m.Steps {
		if m.Index(int32(i)) == uint64(index) {
			return i
		}
	}
	return -1
}

// TestWordsOfUnknownParts has a step be fixed if it isn't known in which part its word is.
func TestWordsOfUnknownParts(t *testing.T) {
	m := &memory{Piece: Piece{Recorded: true}}
	m.step(Step{Op: Lock, Also: 1}, event.Event{Op: event.Acquire})
	m.step(Step{Op: Unlock, Closes: true}, event.Event{Op: event.Release})
	m.step(Step{}, event.Event{Op: event.Split, Target: 1})
	m.Settle()
	if !m.Steps[0].Fixed || m.Steps[1].Fixed {
		t.Errorf("fixed: %v, %v, want the first", m.Steps[0].Fixed, m.Steps[1].Fixed)
	}
}
