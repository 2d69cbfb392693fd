// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/text"
)

const (
	wordSetBits = 6
	wordsOfSet  = 8
)

// words keeps values of which only a word, a hash, is known elsewhere. A word has the places of one
// set, of which the oldest is taken when all are. What was there is not shown any more. So a
// program with few values shows all of them, whatever their hashes are.
var words [1 << wordSetBits]wordSet

// A wordSet has the values of some words.
type wordSet struct {
	lock offheap.Lock
	next uint32 // the place that was taken least recently
	word [wordsOfSet]uint64
	kept [wordsOfSet]text.Kept
}

func wordSetOf(word uint64) *wordSet { return &words[word*0x9E3779B97F4A7C15>>(64-wordSetBits)] }

// find is the place of a word, -1 if it has none. The set is locked.
func (s *wordSet) find(word uint64) int {
	for i := range s.word {
		if s.word[i] == word {
			return i
		}
	}
	return -1
}

// keepWord keeps the value of a type at p, for which a word stands.
func keepWord(word uint64, typ, p unsafe.Pointer) {
	if p == nil || word == 0 {
		return
	}
	s := wordSetOf(word)
	s.lock.Lock()
	if s.find(word) < 0 {
		i := s.next % wordsOfSet
		s.next++
		s.word[i] = word
		s.kept[i].Keep(typ, p)
	}
	s.lock.Unlock()
}

// keptWord is the value for which a word stands, if it is known.
func keptWord(word uint64) (k text.Kept) {
	if word == 0 {
		return k
	}
	s := wordSetOf(word)
	s.lock.Lock()
	if i := s.find(word); i >= 0 {
		k = s.kept[i]
	}
	s.lock.Unlock()
	return k
}
