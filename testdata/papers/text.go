// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package papers

import (
	"sync"

	"github.com/commutego/commute/testdata/papers/turn"
)

// A StringBuffer is that of JDK 1.4.2: a lock, and characters.
type StringBuffer struct {
	mu   sync.Mutex
	text []byte
}

func (b *StringBuffer) length() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.text)
}

// upTo is a copy of the characters, at most n of them.
func (b *StringBuffer) upTo(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]byte(nil), b.text[:min(n, len(b.text))]...)
}

// Append asks another buffer for its length, and then for its characters.
//
//commute:atomic what is appended is what the other was
func (b *StringBuffer) Append(o *StringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := o.length()
	turn.Here()
	b.text = append(b.text, o.upTo(n)...)
}

//commute:atomic what is appended is what the other was
func (b *StringBuffer) SafeAppend(o *StringBuffer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	turn.Here()
	b.text = append(b.text, o.text...)
}

//commute:atomic it is one section
func (b *StringBuffer) SetLength(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = b.text[:min(n, len(b.text))]
}

//commute:atomic it is one section
func (b *StringBuffer) Delete() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.text) > 0 {
		b.text = b.text[1:]
	}
}

//commute:atomic it is one section
func (b *StringBuffer) Insert(c byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append([]byte{c}, b.text...)
}

func stringBuffer(r run) {
	shared := &StringBuffer{text: []byte("abc")}
	look := func(int) {
		own := new(StringBuffer)
		own.Append(shared)
		own.SetLength(0)
	}
	turn.Go(
		func() { r.times(2, 1, look) }, func() { r.times(2, 2, look) },
		func() { r.times(2, 3, func(int) { shared.Delete(); turn.Here(); shared.Insert('d') }) },
	)
}
