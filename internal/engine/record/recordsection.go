// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package record

import (
	"unsafe"

	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/instance"
	"github.com/commutego/commute/internal/engine/offheap"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/section"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/text"
)

// What the check of critical sections is told is recorded where it is told: functions with pairs,
// locks that are about to be taken, touches. Synchronization is in the trace already. A ring has
// none of it, as an activation or a lock that was taken before its beginning would be lost.

// sections are the places and functions that the trace has: their numbers, by address.
var sections struct {
	lock                  offheap.Lock
	numbers               offheap.Memo
	funcs, touches, sites uint32
	entered               offheap.Memo // by the number of a function and 1: 1
}

// RegisterSections notes a package with functions that have pairs of a check and an act in two
// critical sections. If the option for the level asks for none of the pairs, nothing comes of it.
// If not, sections are followed from the first activation of one of the functions on. A trace has
// the functions, and all that sections do.
func RegisterSections(r *compiled.SectionRegistration) {
	inTrace := recorder.On() && !recorder.IsRing()
	wanted := false
	for i := range r.Funcs {
		f := &r.Funcs[i]
		if !sync.RegisterSection(f) {
			continue
		}
		wanted = true
		if inTrace {
			functionNumber(f)
		}
	}
	if !wanted {
		return // the touches stay cold
	}
	source.RegisterTouches(r)
	if inTrace {
		sync.FollowSections()
		instance.Sections.HeatPackage(r)
	}
}

// HeatSections makes the touches hot that functions with pairs are of: those of the package of f,
// which is about to be entered, and of packages whose pairs are of some of these touches, too. It
// takes time linear in all that is registered.
func HeatSections(f *compiled.SectionFunc) {
	if r := source.SectionsOf(f); r != nil {
		instance.Sections.HeatPackage(r)
	}
	for heated := true; heated; {
		heated = false
		source.EachSections(func(r *compiled.SectionRegistration) {
			if r.Funcs[0].Hot.Load() == 0 && source.SharesHot(r) {
				instance.Sections.HeatPackage(r)
				heated = true
			}
		})
	}
}

// recordsSections reports whether critical sections are recorded of g.
func recordsSections(g *Recorded) bool {
	return g.InTrace.Number != 0 && sync.WeakClocks() && !recorder.IsRing()
}

// RecordEntered records that g has entered a function with pairs.
func (g *Recorded) RecordEntered(f *compiled.SectionFunc) {
	if recordsSections(g) {
		n := functionNumber(f)
		if e, _ := sections.entered.Get(uint64(n) + 1); e == 0 {
			direct(n, f)
			sections.entered.Put(uint64(n)+1, 1)
		}
		recorder.Value(&g.InTrace, 0, recorder.Enters, uint64(n))
	}
}

// RecordLeaves records that g leaves such a function, which was the n-th that it had entered.
func (g *Recorded) RecordLeaves(n int) {
	if recordsSections(g) {
		recorder.Value(&g.InTrace, 0, recorder.Leaves, uint64(n))
	}
}

// RecordLocking records that g is about to take a lock. Nothing is made of that before g has a weak
// clock.
func (g *Recorded) RecordLocking(s *compiled.LockSite, lock uintptr) {
	if recordsSections(g) && g.Weak.Started() {
		what := recorder.Locking | siteNumber(s)<<recorder.SiteShift
		recorder.Value(&g.InTrace, 0, what, uint64(lock))
	}
}

// A Touched is a touch: what it is of, the hash of its key, if it has one, its value as a word, and
// the length of the map after it. If it is not Full, only the place counts.
type Touched struct {
	At          *compiled.SectionTouch
	Object      uintptr
	Full, Keyed bool
	Key, Value  uint64
	Length      uint64
	Pos         uint32 // 0 if it is not known
}

// RecordTouch records a touch of g.
func (g *Recorded) RecordTouch(t *Touched) {
	if !recordsSections(g) {
		return
	}
	what := recorder.Touches | touchNumber(t.At)<<recorder.SiteShift
	if t.Full {
		if t.Keyed {
			recorder.Value(&g.InTrace, t.Pos, recorder.TouchKey, t.Key)
		}
		if t.Length != 0 {
			recorder.Value(&g.InTrace, t.Pos, recorder.TouchLen, t.Length)
		}
		recorder.Value(&g.InTrace, t.Pos, recorder.TouchWord, t.Value)
	}
	recorder.Value(&g.InTrace, t.Pos, what, uint64(t.Object))
}

// RecordAnnounced records that g is about to make an atomic operation of a variable of some bytes.
// Whether an earlier operation has looked at the variable matters, so the step has a number after
// that one's.
func (g *Recorded) RecordAnnounced(t *compiled.SectionTouch, addr, size uintptr, pos uint32) {
	if recordsSections(g) && g.Weak.Started() {
		recorder.Announced(&g.InTrace, pos, touchNumber(t), uint64(addr), uint64(size))
	}
}

// Operated notes that g has made an atomic operation, and reports whether that was announced, and
// what Making was told then. Word returns what is in a variable of some bytes. The operation is
// recorded while no other one of the variable is made.
func (g *Recorded) Operated(word func(addr, size uintptr) uint64) (made, fixed bool) {
	op, addr, size, made := section.Operation(&g.Weak.Section)
	if !made {
		return false, false
	}
	w := word(addr, size)
	if recorder.On() && recordsSections(g) {
		recorder.Progress(&g.InTrace, recorder.Operated|uint32(op)<<recorder.SiteShift, w)
	}
	return true, g.Weak.Section.Made(w)
}

// RecordWord defines the text of a value of a type at p, for which a word stands.
func (g *Recorded) RecordWord(word uint64, typ, p unsafe.Pointer) {
	if p == nil || word == 0 || !recordsSections(g) {
		return
	}
	at := keyPlace(word)
	if at.Load() == word|1 {
		return
	}
	var k text.Kept
	if k.Keep(typ, p); k.Known() {
		b := text.Buffers.Get()
		b.Reset()
		k.Print(b)
		recorder.Key(word, b.String())
		text.Buffers.Put(b)
	}
	at.Store(word | 1)
}

// RecordOrder records that a call of an object's method begins or ends, which orders it with the
// others of the object.
func (g *Recorded) RecordOrder(obj uintptr) {
	if recordsSections(g) {
		recorder.Progress(&g.InTrace, recorder.Orders, uint64(obj))
	}
}

// recordExchange records that the next acquire and release exchange what was released.
func recordExchange(g *Recorded) {
	if recordsSections(g) {
		recorder.Value(&g.InTrace, 0, recorder.Exchanges, 0)
	}
}

// numbered is the number of a place or function, counted by n. It is defined by define if it has
// none yet, with the lock held.
func numbered(p unsafe.Pointer, n *uint32, define func(number uint32)) uint32 {
	key := uint64(uintptr(p))
	if v, ok := sections.numbers.Get(key); ok {
		return uint32(v)
	}
	sections.lock.Lock()
	v, ok := sections.numbers.Get(key)
	if !ok {
		v = uint64(*n)
		*n++
		define(uint32(v))
		sections.numbers.Put(key, v)
	}
	sections.lock.Unlock()
	return uint32(v)
}

func siteNumber(s *compiled.LockSite) uint32 {
	return numbered(unsafe.Pointer(s), &sections.sites, func(n uint32) {
		flags := uint64(0)
		if s.Read {
			flags |= recorder.ReadLock
		}
		if s.Complete {
			flags |= recorder.Complete
		}
		recorder.LockSite(n, s.Size, flags, s.Lock, s.At)
	})
}

func touchNumber(t *compiled.SectionTouch) uint32 {
	return numbered(unsafe.Pointer(t), &sections.touches, func(n uint32) {
		flags := uint64(t.Op) << recorder.OpShift
		if t.Local {
			flags |= recorder.LocalVar
		}
		flags |= uint64(t.Atomic) << recorder.AtomicShift
		recorder.TouchSite(n, flags, t.Point, t.Name, t.Decl, t.At)
	})
}

// functionNumber is the number of a function. The touches of its pairs are defined first.
func functionNumber(f *compiled.SectionFunc) uint32 {
	if v, ok := sections.numbers.Get(uint64(uintptr(unsafe.Pointer(f)))); ok {
		return uint32(v)
	}
	for i := range f.Pairs {
		touchNumber(f.Pairs[i].Check)
		touchNumber(f.Pairs[i].Act)
	}
	return numbered(unsafe.Pointer(f), &sections.funcs, func(n uint32) {
		for i := range f.Pairs {
			definePair(n, f, i, 0)
		}
	})
}

// definePair defines a pair of a function, whose touches are defined; more has further flags.
func definePair(n uint32, f *compiled.SectionFunc, i int, more uint64) {
	p := &f.Pairs[i]
	check, _ := sections.numbers.Get(uint64(uintptr(unsafe.Pointer(p.Check))))
	act, _ := sections.numbers.Get(uint64(uintptr(unsafe.Pointer(p.Act))))
	flags := more | uint64(p.Shape)<<recorder.ShapeShift | uint64(i)<<recorder.IndexShift |
		uint64(len(f.Pairs))<<recorder.PairsShift
	for _, x := range [...]struct {
		set  bool
		flag uint64
	}{
		{p.Value, recorder.ByValue}, {p.Fill, recorder.Fills}, {p.Always, recorder.Always},
		{f.Marked, recorder.PairMarked}, {p.Latest, recorder.LatestOnly},
	} {
		if x.set {
			flags |= x.flag
		}
	}
	recorder.Pair(n, uint32(check), uint32(act), flags, f.Code.Name, p.CheckBy, p.ActBy)
}

// direct defines those pairs of a function again of which a comment in the source says something.
// When the function was registered, its package need not have registered its comments. Two
// goroutines may define a pair again.
func direct(n uint32, f *compiled.SectionFunc) {
	for i := range f.Pairs {
		p, flags := &f.Pairs[i], uint64(0)
		source.Registered.Lock.Lock()
		for _, l := range [...]compiled.Line{p.Check.At, p.Act.At, p.CheckBy, p.ActBy} {
			fr := host.Frame{Func: f.Code.Name, File: l.File, Line: l.Number}
			if l.Number != 0 && source.Direct(compiled.Ignore, fr, nil, false) {
				flags |= recorder.PairIgnored
			}
		}
		d := source.Touched(p.Act)
		if source.Direct(compiled.Concurrent, host.Frame{}, &d, false) {
			flags |= recorder.PairMeant
		}
		source.Registered.Lock.Unlock()
		if flags != 0 {
			definePair(n, f, i, flags)
		}
	}
}
