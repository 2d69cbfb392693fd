// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import "testing"

// TestBlocks compares what is noted of blocks of memory with what the comments of sources tell.
func TestBlocks(t *testing.T) { compareNotes(t, blockSources) }

var blockSources = map[string]string{
	"bytes of a caller": `
type S struct {
	t    *T
	out  []byte
	log  []string
	sums map[string]int
}

func (s *S) F(b []byte, list ...string) {
	s.t.mu.Lock() // = complete s.t.mu
	s.out = append(s.out, b...) // = update s.out; write backing s.out; read backing b
	s.log = append(s.log, list...) // = update s.log; write backing s.log; read backing list
	s.sums[string(b)] = len(b) // = insert s.sums at string(b); read backing b
	copy(s.out[1:], b[2:]) // = read s.out; write inner s.out; write backing s.out; read backing b[2:]
	s.t.mu.Unlock()
}`,
	"one by one": `
func (t *T) F(b []byte) int {
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	for i, c := range b { // = read backing b
		if c == 1 && b[i] > b[0] { // = read backing b; read backing b
			return i
		}
	}
	b[0], b[1] = b[1], 2 // = write backing b; write backing b; read backing b
	b[2]++ // = write backing b
	clear(b) // = write backing b
	return copy(b[1:], b) // = write backing b[1:]; read backing b
}`,
	"own elements": `
func (t *T) F(n int) {
	t.mu.Lock() // = complete t.mu
	own := make([]int, n)
	own[0] = 1
	own = append(own, own[0])
	var p []*T
	for range n {
		p = append(p, t) // = write backing p
	}
	t.n = len(p) // = write t.n
	t.mu.Unlock()
}`,
	"elements with parts": `
type E struct{ n int }

func (t *T) F(list []E, rows [][2]int) {
	t.mu.Lock() // = opaque t.mu
	list[0].n = 1
	t.mu.Unlock()
	t.mu.Lock() // = opaque t.mu
	e := list[0]
	t.n = e.n // = write t.n
	t.mu.Unlock()
	t.mu.Lock() // = opaque t.mu
	println(rows[0][0])
	t.mu.Unlock()
}

func G[X any](t *T, list []X) X {
	t.mu.Lock() // = opaque t.mu
	defer t.mu.Unlock()
	return list[0]
}`,
	"arrays": `
type A struct {
	t      *T
	a, b   [4]int
	p      *[4]int
}

func (a *A) all() []int { return a.a[:] }

func (a *A) F() {
	a.t.mu.Lock() // = complete a.t.mu
	a.a[0] = 1 // = write inner a.a; write backing a.a
	a.b[0] = 1 // = write inner a.b
	a.p[0] = 1 // = read a.p; write inner a.p; write backing a.p
	a.t.mu.Unlock()
	a.p = nil
}`,
	"pointers": `
type count int

func (t *T) F(p *int, c *count) {
	t.mu.Lock() // = complete t.mu
	t.n = *p + int(*c) // = write t.n; read *p; read backing *p; read *c
	t.mu.Unlock()
}

func set(p *int, c *count) { *p, *c = 1, 2 }`,
	"pointers to elements": `
type count int

func (t *T) F(c *count) {
	t.mu.Lock() // = complete t.mu
	t.n = int(*c) // = write t.n; read *c; read backing *c
	t.mu.Unlock()
}

func pick(list []count) *count { return &list[0] }`,
	"functions of other packages": `
func (t *T) F(b []byte) bool {
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	binary.BigEndian.PutUint16( // = read inner binary.BigEndian; read binary.BigEndian
		b[2:], 1) // = write backing b[2:]
	return bytes.Equal(b[:1], b) // = read backing b[:1]; read backing b
}

func (t *T) G(b []byte, f func(rune) bool) {
	t.mu.Lock() // = opaque t.mu
	t.n = bytes.IndexFunc(b, f) // = write t.n
	t.mu.Unlock()
}`,
	"lent by a container": `
type B struct {
	t   *T
	buf bytes.Buffer
}

func (b *B) F() []byte {
	b.t.mu.Lock() // = complete b.t.mu
	defer b.t.mu.Unlock()
	b.buf.WriteString("x") // = write inner b.buf
	return b.buf.Bytes() // = read inner b.buf
}

func (b *B) G(list []byte) byte {
	b.t.mu.Lock() // = opaque b.t.mu
	defer b.t.mu.Unlock()
	return list[0]
}

func (b *B) H(list []int) int {
	b.t.mu.Lock() // = complete b.t.mu
	defer b.t.mu.Unlock()
	return list[0] // = read backing list
}`,
	"loop that lets go": `
func (t *T) F(list []int) {
	t.mu.Lock() // = opaque t.mu
	for _, v := range list {
		t.n = v // = write t.n
		t.mu.Unlock()
		work()
		t.mu.Lock() // = opaque t.mu
	}
	t.mu.Unlock()
}`,
	"call beside elements": `
var list []int

func next() int { list = nil; return 0 } // = write list

func (t *T) F(own []int) int {
	t.mu.Lock() // = opaque t.mu
	t.n = list[0] + next() // = write t.n
	t.mu.Unlock()
	t.mu.Lock() // = complete t.mu
	defer t.mu.Unlock()
	return own[0] + own[t.length()] // = read backing own; read backing own
}

func (t *T) length() int { return t.n } // = read t.n`,
}
