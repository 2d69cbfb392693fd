// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package sync

import (
	"maps"
	"math/rand"
	"testing"

	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/option"
	"github.com/commutego/commute/internal/engine/vclock"
)

// A lockModel has for each goroutine and address the set of events that it knows, or that were
// released there: outside of calls, and in calls. The goroutines leave out what they are told that
// they may leave out.
type lockModel struct {
	t      *testing.T
	r      *rand.Rand
	gs     []*Thread
	addrs  []uintptr
	events []vclock.Epoch
	knows  []map[int]bool // by goroutine
	at     []map[int]bool // by address
	inside []map[int]bool // by address: what was released in calls
	// Takes, lets and loads left out, lets made apart, takes of other locks, those as before, lets
	// of the last lock, loads after a look at the block, and stores after one.
	idle    [9]int
	repeats [3][7]lockRepeat // by goroutine and address
	// The epochs that were released in calls, and the events that got one of these later: they
	// may be taken for known.
	released map[vclock.Epoch]bool
	vague    map[int]bool

	weak *weakModel // nil without weak clocks
}

func newLockModel(t *testing.T, seed int64, weak bool) *lockModel {
	m := &lockModel{t: t, r: rand.New(rand.NewSource(seed)),
		released: map[vclock.Epoch]bool{}, vague: map[int]bool{}}
	for range 3 {
		g := startThread()
		if seed%2 == 0 {
			g.locks.others = few // it has a list as soon as it takes another lock
		}
		m.gs = append(m.gs, g)
		m.knows = append(m.knows, map[int]bool{})
	}
	const base = uintptr(0xc830000000)
	for _, off := range []uintptr{0, 8, 16, 24, 32, BlockSize, pageSize} {
		m.addrs = append(m.addrs, base+off)
		m.at = append(m.at, map[int]bool{})
		m.inside = append(m.inside, map[int]bool{})
	}
	if weak {
		m.weak = newWeakModel(m.gs, len(m.addrs))
	}
	return m
}

// event is one of a goroutine: a call, if it is in one, from its first release on.
func (m *lockModel) event(i int) {
	if m.gs[i].Clock.Held() == 0 {
		m.add(i, m.gs[i].Clock.Tick())
	}
}

// add adds an event at an epoch.
func (m *lockModel) add(i int, e vclock.Epoch) {
	m.vague[len(m.events)] = m.released[e]
	m.knows[i][len(m.events)] = true
	m.events = append(m.events, e)
	m.weak.add(m.gs, i)
}

// learn is what an acquire does.
func (m *lockModel) learn(i, j int) {
	m.weak.learn(i, j)
	maps.Copy(m.knows[i], m.at[j])
	if !m.gs[i].InCall {
		maps.Copy(m.knows[i], m.inside[j])
	}
}

// release is what a release does, which forgets earlier ones unless merge is set.
func (m *lockModel) release(i, j int, merge bool, do func()) {
	g := m.gs[i]
	m.weak.release(i, j, merge)
	if !g.InCall {
		do()
		if !merge {
			m.at[j] = map[int]bool{}
		}
		maps.Copy(m.at[j], m.knows[i])
		return
	}
	held := g.Clock.Held()
	do()
	if held == 0 {
		m.add(i, g.Clock.Held())
	}
	m.released[g.Clock.Now()] = true
	maps.Copy(m.inside[j], m.knows[i])
}

// step is one operation of a goroutine, most often at the address of its last one.
func (m *lockModel) step(i, j int) {
	g, addr := m.gs[i], m.addrs[j]
	switch m.r.Intn(16) {
	case 0, 1, 2, 3:
		r := &m.repeats[i][j]
		switch {
		case r.lock == addr && r.tellsNothing(g, addr, 0):
			m.idle[5]++
		case takesQuick(g, addr):
			m.idle[0]++
		case TakesAgain(g, addr, addr, 0):
			m.idle[4]++
			if r.lock = 0; r.note(g, addr, addr, 0) {
				r.lock = addr
			}
		default:
			AcquireLock(g, addr)
		}
		m.learn(i, j)
	case 4, 5, 6, 7, 8:
		merge := m.r.Intn(3) == 0
		m.release(i, j, merge, func() {
			switch {
			case letsQuick(g, addr):
				m.idle[6]++
			case LetsKnown(g, addr, merge):
				m.idle[1]++
			case m.letsInCall(g, addr):
				m.idle[3]++
			case merge:
				ReleaseMergeLock(g, addr)
			default:
				ReleaseLock(g, addr)
			}
		})
	case 9:
		for range 1 + m.r.Intn(3) {
			switch {
			case LearnsNothing(g, addr):
				m.idle[2]++
			case LooksKnown(g, addr):
				m.idle[7]++
			default:
				AcquireAtomic(g, addr)
			}
		}
		m.learn(i, j)
	case 10:
		m.release(i, j, false, func() {
			if idle, _ := LooksReleased(g, addr); idle {
				m.idle[8]++
			} else {
				g.Release(addr)
			}
		})
	case 11:
		if !g.InCall {
			m.event(i)
		}
	case 12, 13:
		host.Publish32(&g.CallNumber, g.CallNumber.Load()+1)
		if g.InCall {
			m.event(i)
			g.Clock.RestoreHeld(0)
		}
		g.InCall = !g.InCall
	case 14:
		if m.r.Intn(4) == 0 {
			Free(addr, 8)
			m.at[j], m.inside[j] = map[int]bool{}, map[int]bool{}
			m.weak.free(j)
		}
	case 15:
		m.weak.add(m.gs, i) // that the call clock has nothing to do with
	}
}

// takesQuick is what the hook of a lock asks first, for a goroutine that holds none.
func takesQuick(g *Thread, addr uintptr) bool {
	return TakesQuick(g, addr, addr, 0) != nil && LetAlone(g, addr)
}

// letsQuick is what the hook asks first where a lock is let go, of the only one that is held.
func letsQuick(g *Thread, addr uintptr) bool {
	TakesAlone(g, addr, 0)
	return LetsQuick(g, addr, addr) || !LetAlone(g, addr)
}

// letsInCall is what the hook asks first where a lock is let go in a call. The lock is noted as let
// go if the clock has followed, and else it is held still.
func (m *lockModel) letsInCall(g *Thread, addr uintptr) bool {
	TakesAlone(g, addr, 0)
	done := LetsInCall(g, addr, addr)
	if LetAlone(g, addr) == done {
		m.t.Fatalf("a lock is held, or isn't, after its clock has followed: %v", done)
	}
	return done
}

// TestLocks holds what goroutines know against sets of events, where they take locks and let them
// go in calls and outside, and leave out what changes nothing.
func TestLocks(t *testing.T) {
	idle := locksAsModel(t, false)
	if idle[0] < 1000 || idle[1] < 1000 || idle[2] < 100 || idle[3] < 1000 || idle[4] < 500 ||
		idle[5] < 100 || idle[6] < 500 || idle[7] < 500 || idle[8] < 100 {
		t.Errorf("%v takes, lets and loads were left out or made apart: too few for a test", idle)
	}
}

// TestLocksWeakly does so while there are weak clocks. These learn in calls as well.
func TestLocksWeakly(t *testing.T) {
	weakly(t)
	idle := locksAsModel(t, true)
	if idle[1] < 1000 || idle[4] < 1000 || idle[5] < 100 {
		t.Errorf("%v takes and lets were left out: too few for a test", idle)
	}
}

func locksAsModel(t *testing.T, weak bool) (idle [9]int) {
	option.Parse("deadlock=fail")
	defer option.Reset()
	for seed := range int64(600) {
		m := newLockModel(t, seed, weak)
		i, j := 0, 0
		for step := range 150 {
			if m.r.Intn(5) == 0 {
				i = m.r.Intn(len(m.gs))
			}
			if m.r.Intn(6) == 0 {
				j = m.r.Intn(len(m.addrs))
			}
			m.step(i, j)
			m.check(seed, step)
		}
		for _, addr := range m.addrs {
			Free(addr, 8)
		}
		for _, g := range m.gs {
			g.Clock.RestoreHeld(0)
			g.Finish()
		}
		for k := range idle {
			idle[k] += m.idle[k]
		}
	}
	return idle
}

// check compares what the goroutines know.
func (m *lockModel) check(seed int64, step int) {
	for i, g := range m.gs {
		for e, epoch := range m.events {
			got := g.Clock.Knows(epoch)
			if got != m.knows[i][e] && !(got && m.vague[e]) {
				m.t.Fatalf("seed %d, step %d: goroutine %d knows event %d: %v, want %v",
					seed, step, i, e, got, m.knows[i][e])
			}
		}
	}
	m.weak.check(m, seed, step)
}

// TestLoadsWithoutPage has an address loaded again and again of which nothing is known.
func TestLoadsWithoutPage(t *testing.T) {
	const addr = uintptr(0xc840000000)
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	defer Free(addr, 8)
	for range 2 {
		if LearnsNothing(h, addr) {
			t.Error("nothing is known, and it is remembered")
		}
		AcquireAtomic(h, addr)
	}
	if !LearnsNothing(h, addr) {
		t.Error("an acquire that changes nothing is made again and again")
	}
	e := g.Clock.Tick()
	if g.Release(addr); LearnsNothing(h, addr) {
		t.Error("an acquire of what was released is left out")
	}
	if AcquireAtomic(h, addr); !h.Clock.Knows(e) {
		t.Error("what was released isn't learned")
	}
}

// TestLoadsBesideVariable has an address loaded whose block has a variable, of another address.
func TestLoadsBesideVariable(t *testing.T) {
	const addr = uintptr(0xc840100000)
	g, h := startThread(), startThread()
	defer g.Finish()
	defer h.Finish()
	defer Free(addr, BlockSize)
	g.Set(addr + 8)
	if acquireTwice(h, addr); !LearnsNothing(h, addr) {
		t.Error("an acquire that changes nothing is made again and again")
	}
	e := g.Clock.Tick()
	if g.Set(addr); LearnsNothing(h, addr) {
		t.Error("an acquire of what was released is left out")
	}
	if AcquireAtomic(h, addr); !h.Clock.Knows(e) {
		t.Error("what was released isn't learned")
	}
}
