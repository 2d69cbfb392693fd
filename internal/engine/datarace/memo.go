// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import "sync/atomic"

// A memo is what a goroutine has found out about some word: what it has to become for an access, if
// the two race with nothing. A goroutine that goes through an array meets the same words with the
// same accesses again and again. What is known stays known, so that a memo never becomes wrong. Its
// block may have been given back in the meantime; then the generation tells.
type memo struct{ old, key, now Word }

const memos = 32

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
func memoSlot(old, key Word) Word { return (old*0x9E3779B97F4A7C15 ^ key*0xC2B2AE3D27D4EB4F) >> 59 }

// remember keeps a memo, in the place of another.
func (t *checker) remember(old, key, now Word) { t.memo[memoSlot(old, key)] = memo{old, key, now} }

// remembers reports whether each word of old, a block's word, is known to be ordered, as far as is
// remembered.
//
//go:nosplit
func (t *checker) remembers(old Word) bool {
	m := &t.memo[memoSlot(old, allKnown)]
	return m.old == old && m.key == allKnown
}

// recall makes of a cell's word, old, what it became when an access of that key was made the last
// time. It reports whether that is remembered, and no other goroutine has changed the cell.
func (t *checker) recall(c *atomic.Uint64, old, key Word) bool {
	m := &t.memo[memoSlot(old, key)]
	return m.old == old && m.key == key && (!m.now.isBlock() || m.now.share()) &&
		c.CompareAndSwap(uint64(old), uint64(m.now))
}

// quickRecall is recall where the block is shared already, which takes less stack.
//
//go:nosplit
func (t *checker) quickRecall(c *atomic.Uint64, old, key Word) bool {
	m := &t.memo[memoSlot(old, key)]
	if m.old != old || m.key != key || orderedMatter() {
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
