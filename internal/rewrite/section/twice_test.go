// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loops has loops of which some are written twice, as their comments say.
const loops = `package main

import (
	"fmt"
	"iter"
	"math/bits"
	"sync"
	"sync/atomic"
)

type pool struct {
	sync.Mutex
	list  []int
	m     map[string]int
	n     atomic.Int64
	ready chan int
	next  *pool
	f     func() int
	g     fmt.Stringer
}

func (p *pool) sum() (n int) {
	for _, x := range p.list { // twice
		n += x
	}
	return n
}

func (p *pool) locked(k int) {
	p.Lock()
	defer p.Unlock()
	for i := range p.list { // twice
		for j := range p.list {
			p.list[i] += p.list[j] + k
		}
	}
	for k := range p.m { // twice
		delete(p.m, k)
	}
}

func (p *pool) length() int { return bits.Len(uint(len(p.list))) }

func (p *pool) longest() (n int) {
	for ; p != nil; p = p.next { // twice
		n = max(n, p.length())
	}
	return n
}

func (p *pool) depth() int {
	if p == nil {
		return 0
	}
	return 1 + p.next.depth()
}

func (p *pool) waits(seq iter.Seq[int]) (n int) {
	for p.next != nil { // takes a lock
		p.Lock()
		p.next = p.next.next
		p.Unlock()
	}
	for i := range p.list { // an atomic operation
		n += i + int(p.n.Load())
	}
	for i := range p.list { // calls a lock's taker
		p.locked(i)
	}
	for i := range p.list { // a function that is not known
		n += p.f() + p.list[i]
	}
	for i := range p.list { // an interface's method
		n += len(p.g.String()) + p.list[i]
	}
	for i := range p.list { // a receive
		p.list[i] = <-p.ready
	}
	for i := range p.ready { // receives
		p.list[i]++
	}
	for i := range p.list { // a send
		p.ready <- i
	}
	for i := range seq { // calls a function
		p.list[i]++
	}
	for i := range p.list { // starts a goroutine
		p.list[i]++
		go p.sum()
	}
	for i := range p.list { // defers a call
		p.list[i]++
		defer p.sum()
	}
	for i := range p.list { // waits for nothing, but might
		select {
		default:
			p.list[i]++
		}
	}
	for i := range p.list { // has a function
		g := func() { p.list[i]++ }
		_ = g
	}
	for i := range p.list { // has a label in it
	inner:
		for range p.list {
			p.list[i]++
			continue inner
		}
	}
	for _, x := range p.list { // declares a type
		type key struct{ n int }
		if _, ok := any(x).(key); ok {
			p.list[0]++
		}
	}
	for i := range p.list { // goes to a label
		if p.list[i] == 0 {
			goto end
		}
	}
end:
	for i := range p.list { // closes a channel
		if close(p.ready); p.list[i] > 0 {
			break
		}
	}
	for range p.list { // recursive
		n += p.depth()
	}
outer:
	for i := range p.list { // has a label
		for range p.list { // twice
			if p.list[i] > 0 {
				continue outer
			}
		}
	}
	for range n { // has no touch
		n++
	}
	switch {
	case n > 0:
		for i := range p.list { p.list[i]++ } // twice
	}
	return n
}

// The activation stands where the loop begins.
func (p *pool) packed() {for i := range p.list { p.list[i]++ }} // twice

var speaks, done = false, func() {}

func main() {
	p := &pool{list: []int{3, 4}, m: map[string]int{"a": 1}, f: func() int { return 1 }}
	p.locked(1)
	fmt.Println(p.sum(), p.longest(), len(p.m))
	done()
}
`

// TestTwice has those loops be written twice that take no lock and wait for nothing.
func TestTwice(t *testing.T) {
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(loops), 0o666); err != nil {
		t.Fatal(err)
	}
	p := read("main", name)
	_, out := generated(t, p)
	lines := bytes.Split(applied(t, p, out, name), []byte("\n"))
	twice, once := 0, 0
	for _, line := range lines {
		text := string(line)
		if !strings.Contains(text, "// twice") && !strings.Contains(text, "for ") {
			continue
		}
		is := strings.Contains(text, "if commute_untouched() {")
		switch {
		case strings.HasSuffix(text, "// twice") == is:
		case strings.Contains(text, "} else { /*line"), strings.Contains(text, "for j := range"):
			continue // the other one of two, or a loop in one
		default:
			t.Errorf("written twice: %v: %s", is, text)
		}
		if is {
			twice++
		} else {
			once++
		}
	}
	if twice != 7 || once < 19 {
		t.Errorf("%d loops are written twice, %d once", twice, once)
	}
	if got, _ := run(t, instrumented(t, p, out)); got != "47 2 0\n" {
		t.Error(got)
	}
}
