// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package unmarked

import (
	"bytes"
	"encoding/binary"
	"sync"
	"testing"
)

// Sections read elements of slices that callers have handed in.

// A session sends in sections of their own, after a look.
type session struct {
	mu   sync.Mutex
	out  []byte
	log  []string
	sums map[string]int
	buf  [8]byte
	held []byte

	total int
}

func newSession() *session { return &session{sums: make(map[string]int)} }

func (s *session) send(b []byte) {
	s.mu.Lock()
	s.out = append(s.out, b...)
	s.mu.Unlock()
}

func (s *session) silent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.out) == 0
}

// hello sends once.
func (s *session) hello(pause func()) {
	if s.silent() {
		pause()
		s.send([]byte("hello"))
	}
}

func TestRaceSendAfter(*testing.T) {
	s := newSession()
	after(s.hello, func() { s.hello(nothing) })
}

func TestRaceSendBetween(*testing.T) {
	s := newSession()
	between(s.hello, func() { s.hello(nothing) })
}

// helloOnce looks and sends in one section.
func (s *session) helloOnce(b []byte) {
	s.mu.Lock()
	if len(s.out) == 0 {
		s.out = append(s.out, b...)
	}
	s.mu.Unlock()
}

func TestNoRaceSendOnce(*testing.T) {
	s := newSession()
	both(func() { s.helloOnce([]byte("a")) }, func() { s.helloOnce([]byte("b")) })
}

func (s *session) note(list ...string) {
	s.mu.Lock()
	s.log = append(s.log, list...)
	s.mu.Unlock()
}

func (s *session) noted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

func (s *session) noteFirst() {
	if s.noted() == 0 {
		s.note("first", "note")
	}
}

func TestRaceNote(*testing.T) {
	s := newSession()
	after(func(func()) { s.noteFirst() }, s.noteFirst)
}

func (s *session) sum(key []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sums[string(key)]
}

func (s *session) setSum(key []byte, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sums[string(key)] = n
}

func (s *session) addSum(key []byte) { s.setSum(key, s.sum(key)+1) }

func TestRaceKeyOfBytes(*testing.T) {
	s := newSession()
	after(func(func()) { s.addSum([]byte("key")) }, func() { s.addSum([]byte("key")) })
}

func TestNoRaceOtherKeyOfBytes(*testing.T) {
	s := newSession()
	after(func(func()) { s.addSum([]byte("key")) }, func() { s.addSum([]byte("other")) })
}

// count adds to n the elements up to one.
func (s *session) count(n int, b []byte, end byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes.HasPrefix(b, []byte("-")) {
		b = b[1:]
	}
	for i, c := range b {
		if c == end || b[i] == 0 {
			break
		}
		n++
	}
	s.total = n
}

func (s *session) counted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total
}

func (s *session) countMore(b []byte) { s.count(s.counted(), b, '.') }

func TestRaceElements(*testing.T) {
	s := newSession()
	after(func(func()) { s.countMore([]byte("-ab.")) }, func() { s.countMore([]byte("cd")) })
}

// keep copies elements, for who has seen that there are none.
func (s *session) keep(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := copy(s.buf[:], b); n > 0 {
		s.total += n
	}
}

func (s *session) keepFirst(b []byte) {
	if s.counted() == 0 {
		s.keep(b)
	}
}

func TestRaceCopied(*testing.T) {
	s := newSession()
	after(func(func()) { s.keepFirst([]byte("ab")) }, func() { s.keepFirst([]byte("cd")) })
}

// What is told by an element is told: the section that reads it comes after the one that writes it.
// A section that reads another block comes after nothing.

func (s *session) mark(b []byte) {
	s.mu.Lock()
	b[0] = 1
	s.mu.Unlock()
}

func (s *session) marked(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b[0] != 0
}

// told has one goroutine say hello and mark, and another one say hello if it sees the mark. The
// lock is no goroutine's own, so that each section is looked at.
func told(s *session, mark func(), marked func() bool) {
	s.counted()
	after(func(func()) {
		s.hello(nothing)
		mark()
	}, func() {
		if marked() {
			s.hello(nothing)
		}
	})
}

func TestNoRaceToldByElement(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	told(s, func() { s.mark(b) }, func() bool { return s.marked(b) })
}

func TestRaceOtherBlock(*testing.T) {
	s := newSession()
	b, other := make([]byte, 64), make([]byte, 64)
	other[0] = 1
	told(s, func() { s.mark(b) }, func() bool { return s.marked(other) })
}

func TestNoRaceToldByPart(*testing.T) {
	s, b := newSession(), make([]byte, 64)
	told(s, func() { s.mark(b[5:]) }, func() bool { return s.marked(b[5:6]) })
}

func (s *session) markHeld() {
	s.mu.Lock()
	s.held[0] = 1
	s.mu.Unlock()
}

func TestNoRaceToldByHeldSlice(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	s.held = b
	told(s, s.markHeld, func() bool { return s.marked(b) })
}

func (s *session) markArray() {
	s.mu.Lock()
	s.buf[0] = 1
	s.mu.Unlock()
}

func (s *session) markedHeld() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held[0] != 0
}

func TestNoRaceToldByHolder(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	s.held = b
	told(s, func() { s.mark(b) }, s.markedHeld)
}

func TestNoRaceToldByArray(*testing.T) {
	s := newSession()
	told(s, s.markArray, func() bool { return s.marked(s.buf[:]) })
}

func (s *session) markByAppend(b []byte) (longer []byte) {
	s.mu.Lock()
	longer = append(b, 1)
	s.mu.Unlock()
	return longer
}

func TestNoRaceToldByAppend(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	told(s, func() { s.markByAppend(b[:0]) }, func() bool { return s.marked(b) })
}

func (s *session) markByCopy(b, from []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	copy(b, from)
}

func TestNoRaceToldByCopy(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	told(s, func() { s.markByCopy(b, []byte{1}) }, func() bool { return s.marked(b) })
}

func (s *session) markedByPointer(p *byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *p != 0
}

func TestNoRaceToldByPointer(*testing.T) {
	s, b := newSession(), make([]byte, 1)
	told(s, func() { s.mark(b) }, func() bool { return s.markedByPointer(&b[0]) })
}

func (s *session) markByNumber(b []byte) {
	s.mu.Lock()
	binary.LittleEndian.PutUint16(b, 1)
	s.mu.Unlock()
}

func (s *session) markedByNumber(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return binary.LittleEndian.Uint16(b) == 1
}

func TestNoRaceToldByNumber(*testing.T) {
	s, b := newSession(), make([]byte, 2)
	told(s, func() { s.markByNumber(b) }, func() bool { return s.markedByNumber(b) })
}

var static [4]byte

func TestNoRaceToldByGlobal(*testing.T) {
	s := newSession()
	told(s, func() { s.mark(static[1:]) }, func() bool { return s.marked(static[1:2]) })
}
