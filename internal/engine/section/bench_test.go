// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"hash/maphash"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
)

var benchSeed = maphash.MakeSeed()

// BenchmarkSection is a loop of critical sections with one operation on a map with string keys:
// alone, with the hash that a touch needs, and with all that the engine does.
func BenchmarkSection(b *testing.B) {
	keys := make([]string, 64)
	for i := range keys {
		keys[i] = fmt.Sprintf("key-%d", i)
	}
	s := newScript()
	f, get, put := raise()
	s.register(f)
	g := s.start(nil)
	var mu sync.Mutex
	m := make(map[string]int)
	addr, at := uintptr(unsafe.Pointer(&mu)), uintptr(unsafe.Pointer(&m))
	h := uint64(0)
	values := map[string]func(i int) uint64{"get": func(int) uint64 { return 1 },
		"put": func(i int) uint64 { return uint64(i) | 1 }}
	for _, of := range []struct {
		name  string
		touch *compiled.SectionTouch
	}{{"get", get}, {"put", put}} {
		op := func(i int) (k string) {
			k = keys[i%len(keys)]
			if of.touch == get {
				h += uint64(m[k])
			} else {
				m[k] = i
			}
			return k
		}
		b.Run(of.name+"/plain", func(b *testing.B) {
			for i := range b.N {
				mu.Lock()
				op(i)
				mu.Unlock()
			}
		})
		b.Run(of.name+"/hash", func(b *testing.B) {
			for i := range b.N {
				mu.Lock()
				h += maphash.String(benchSeed, op(i))
				mu.Unlock()
			}
		})
		value := values[of.name]
		run := func(b *testing.B, inside bool) {
			if inside {
				g.enter(f)
				defer g.leave()
			}
			for i := range b.N {
				g.Locking(complete, addr, g)
				mu.Lock()
				g.Acquired(addr)
				g.Touch(g, of.touch, at, maphash.String(benchSeed, op(i)), value(i),
					uint64(len(m)))
				g.Releasing(addr)
				mu.Unlock()
			}
		}
		b.Run(of.name+"/engine", func(b *testing.B) { run(b, false) })
		b.Run(of.name+"/activation", func(b *testing.B) { run(b, true) })
		s.world.knownLock(addr).owner.Store(several)
		b.Run(of.name+"/several", func(b *testing.B) { run(b, false) })
		s.world.knownLock(addr).owner.Store(g.state.P().id)
	}
	s.finish()
	runtime.KeepAlive(h)
}

// BenchmarkCold is a touch that is not hot, as the written code asks for it.
func BenchmarkCold(b *testing.B) {
	p, n := site(compiled.Lookup, "m"), 0
	for range b.N {
		if p.Hot.Load() != 0 {
			n++
		}
	}
	if n > 0 {
		b.Error("it is hot")
	}
}

// BenchmarkForeign is an acquire and a release of anything but a lock that is known, by a goroutine
// that is in no section.
func BenchmarkForeign(b *testing.B) {
	s := newScript()
	f, _, _ := raise()
	s.register(f)
	g := s.start(nil)
	for range b.N {
		g.Acquired(chanel)
		g.Releasing(chanel)
	}
	s.finish()
}

// BenchmarkEnter is an activation with nothing in it.
func BenchmarkEnter(b *testing.B) {
	s := newScript()
	f, _, _ := raise()
	s.register(f)
	g := s.start(nil)
	var a Activation
	for range b.N {
		g.Enter(&a, f)
		g.Leave(&a, g)
	}
	s.finish()
}
