// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/text"
)

// TestWords keeps as many values as a set has places for, all in one set, and then one more, which
// takes the place of the oldest.
func TestWords(t *testing.T) {
	var of []uint64 // the words of the set
	for word := uint64(1); len(of) <= wordsOfSet; word++ {
		if wordSetOf(word) == &words[0] {
			of = append(of, word)
		}
	}
	keep := func(word uint64) {
		var v any = word
		keepWord(word, (*[2]unsafe.Pointer)(unsafe.Pointer(&v))[0], unsafe.Pointer(&word))
	}
	known := func(word uint64) bool {
		k := keptWord(word)
		b := new(text.Buffer)
		if !k.Known() {
			return false
		}
		k.Print(b)
		var want text.Buffer
		want.Uint(word)
		if b.String() != want.String() {
			t.Errorf("word %d is kept as %s", word, b.String())
		}
		return true
	}
	for _, word := range of[:wordsOfSet] {
		keep(word)
		keep(word)
	}
	for _, word := range of[:wordsOfSet] {
		if !known(word) {
			t.Errorf("word %d is not kept", word)
		}
	}
	keep(of[wordsOfSet])
	for i, word := range of {
		if want := i > 0; known(word) != want {
			t.Errorf("the %d. word is kept: %v, want %v", i+1, !want, want)
		}
	}
	keepWord(0, nil, unsafe.Pointer(&of[0]))
	if k := keptWord(0); k.Known() {
		t.Error("the word 0 is kept")
	}
}
