// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package datarace

import (
	"sync/atomic"

	"github.com/commutego/commute/internal/engine/host"
)

// A set is the words of a cell, taken out to be changed.
type set struct {
	n    uint32
	word [maxWords]Word
}

// load takes out what w stands for. It reports whether that was there still: a block may be given
// back at any time, and then is another cell's. So the generation is checked when the words have
// been read.
func (s *set) load(w Word) bool {
	s.n = 0
	switch {
	case w == 0:
	case !w.isBlock():
		s.word[0], s.n = w.bare(), 1
	default:
		words := w.words()
		for i := range words {
			if v := Word(words[i].Load()); v != 0 {
				s.word[s.n] = v
				s.n++
			}
		}
		if !w.alive() {
			s.n = 0
			return false
		}
	}
	return true
}

// add adds a word; where there are too many, another has to go.
func (s *set) add(w Word) {
	if s.n < maxWords {
		s.word[s.n] = w
		s.n++
		return
	}
	forgotten.Add(1)
	s.word[uint32(w>>epochShift+w>>siteShift)%maxWords] = w
}

// forgotten counts the accesses that had no place in a block, or no block.
var forgotten atomic.Uint32

// Forgotten is the number of accesses that could not be kept.
func Forgotten() int { return int(forgotten.Load() + epochBlocks.exhausted.Load()) }

// makeWord returns a word that stands for s. If it is that of a block, it has to be put into a
// cell, or dropped. Extra is what the block's state has beside: keepsPrivate or nothing.
//
// While the collector is about, the block counts as met, and so does what it mentions, as the
// collector may have passed the cell already. Should a whole cycle go by before the word is in its
// cell, the block is given back, and the cell has nothing.
//
// The words are written before the state makes the block one that is in use.
func (b *spareBlocks) makeWord(s *set, extra uint32) Word {
	switch s.n {
	case 0:
		return 0
	case 1:
		return s.word[0]
	}
	class := uint32(0)
	for s.n > 2<<class {
		class++
	}
	n := b.newBlock(class)
	if n == 0 {
		forgotten.Add(s.n - 1)
		return s.word[0]
	}
	words := wordsOf(n)[:2<<class]
	for i := range words {
		v := Word(0)
		if uint32(i) < s.n {
			v = s.word[i]
		}
		host.Publish64(&words[i], uint64(v))
	}
	active := collector.active.Load()
	if active != 0 {
		for _, v := range s.word[:s.n] {
			v.epochBlock().mark()
		}
	}
	host.Publish32(blockState(n), active<<cycleShift|private|extra|(class+1))
	return Word(genOf(n).Load())<<epochShift | atomicBit |
		Word(n)<<siteShift | Word(class)<<classShift | blockBit
}
