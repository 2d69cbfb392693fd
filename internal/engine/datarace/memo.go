// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "sync/atomic"

// A memo is what a goroutine has found out about some word: what it has to become for an access, if
// the two race with nothing. A goroutine that goes through an array meets the same words with the
// same accesses again and again. What is known stays known, so that a memo never becomes wrong. Its
// block may have been given back in the meantime; then the generation tells.
type memo struct{ old, key, now Word }

// The memos of an access are in one of some rows. Most loops meet fewer accesses than would fill
// one, but two in one place would put each other out at every cell.
const (
	memoRows = 8
	memoWays = 4
)

type memoRow [memoWays]memo

type memos [memoRows]memoRow

// memoKey stands for an access. The key of a read is its word. That of a write has one more bit, in
// the place of the class, which is 0 in the word of an access.
func memoKey(w Word, write bool) Word {
	if write {
		return w | 1<<classShift
	}
	return w
}

// allKnown is the key for all accesses: each word of a block is known to be ordered.
const allKnown Word = 2 << classShift

//go:nosplit
func (t *memos) memoRow(old, key Word) *memoRow {
	return &t[(old*0x9E3779B97F4A7C15^key*0xC2B2AE3D27D4EB4F)>>61%memoRows]
}

// memoOf is what is remembered, nil if nothing is.
//
//go:nosplit
func (t *memos) memoOf(old, key Word) *memo {
	row := t.memoRow(old, key)
	for i := range row {
		if m := &row[i]; m.old == old && m.key == key {
			return m
		}
	}
	return nil
}

// remember keeps a memo, in the place of the oldest one of its row.
func (t *memos) remember(old, key, now Word) {
	if m := t.memoOf(old, key); m != nil {
		m.now = now
		return
	}
	row := t.memoRow(old, key)
	copy(row[1:], row[:])
	row[0] = memo{old, key, now}
}

// remembers reports whether each word of old, a block's word, is known to be ordered, as far as is
// remembered.
//
//go:nosplit
func (t *memos) remembers(old Word) bool { return t.memoOf(old, allKnown) != nil }

// recall makes of a cell's word, old, what it became when an access of that key was made the last
// time. It reports whether that is remembered, and no other goroutine has changed the cell.
func (t *memos) recall(c *atomic.Uint64, old, key Word) bool {
	m := t.memoOf(old, key)
	return m != nil && (!m.now.isBlock() || m.now.share()) &&
		c.CompareAndSwap(uint64(old), uint64(m.now))
}

// quickRecall is recall where the block is shared already, which takes less stack.
//
//go:nosplit
func (t *memos) quickRecall(c *atomic.Uint64, old, key Word) bool {
	m := t.memoOf(old, key)
	if m == nil || orderedMatter() {
		return false
	}
	if now := m.now; now.isBlock() {
		b := &unitsOf(now.Site()).is[now.Site()%unitChunk]
		s, active := b.state.Load(), collector.active.Load()
		if s&(private|stateClass) != now.class()+1 || b.gen.Load() != now.epochID() ||
			active != 0 && s>>cycleShift != active {
			return false
		}
	}
	return c.CompareAndSwap(uint64(old), uint64(m.now))
}
