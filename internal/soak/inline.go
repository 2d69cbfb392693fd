// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"strconv"
	"strings"

	"github.com/commutego/commute/internal/soak/plan"
)

// An inline is the source of a link, as field L of s: its type, an expression that makes it, a
// signal and a wait. N stands for the number of its signals, and R for its room. All others are the
// machine's.
type inline struct{ field, make, signal, wait string }

var inlines = map[plan.Kind]inline{
	plan.Mutex:     {"sync.Mutex", "s.L.Lock()", "s.L.Unlock()", "s.L.Lock()"},
	plan.TryLock:   {"sync.Mutex", "s.L.Lock()", "s.L.Unlock()", "machine.Until(s.L.TryLock)"},
	plan.RWRead:    {"sync.RWMutex", "s.L.Lock()", "s.L.Unlock()", "s.L.RLock()"},
	plan.WaitGroup: {"sync.WaitGroup", "s.L.Add(N)", "s.L.Done()", "s.L.Wait()"},
	plan.ChanQueue: {"chan int", "s.L = make(chan int, R)", "s.L <- 1", "<-s.L"},
	plan.ChanMeet:  {"chan int", "s.L = make(chan int)", "s.L <- 1", "<-s.L"},
	plan.ChanClose: {"chan string", "s.L = make(chan string)", "close(s.L)", "for range s.L {}"},
	plan.SelectRecv: {"[2]chan int", "s.L = [2]chan int{make(chan int, 1), nil}", "s.L[0] <- 1",
		"select { case <-s.L[0]: case <-s.L[1]: }"},
	plan.SelectSend: {"chan int", "s.L = make(chan int, 1)",
		"select { case s.L <- 1: case <-(chan int)(nil): }", "<-s.L"},
	plan.SelectPoll: {"chan int", "s.L = make(chan int, 1)", "select { case s.L <- 1: default: }",
		"machine.Until(func() bool { select { case <-s.L: return true; default: return false } })"},
	plan.AtomicStore: {"atomic.Int32", "", "s.L.Store(1)",
		"for s.L.Load() == 0 { machine.Pause() }"},
	plan.AtomicSwap: {"atomic.Uint64", "", "s.L.Swap(1)",
		"for s.L.Load() == 0 { machine.Pause() }"},
	plan.AtomicCAS: {"atomic.Int64", "", "s.L.CompareAndSwap(0, 1)",
		"for !s.L.CompareAndSwap(1, 2) { machine.Pause() }"},
	plan.AtomicAdd: {"atomic.Uint32", "", "s.L.Add(1)",
		"for s.L.Load() == 0 { machine.Pause() }"},
	plan.AtomicOr: {"atomic.Int64", "", "s.L.Or(2)",
		"for s.L.Load()&2 == 0 { machine.Pause() }"},
	plan.AtomicBool: {"atomic.Bool", "", "s.L.Store(true)", "for !s.L.Load() { machine.Pause() }"},
	plan.AtomicPtr: {"atomic.Pointer[outer]", "", "s.L.Store(&outer{})",
		"for s.L.Load() == nil { machine.Pause() }"},
	plan.AtomicAny: {"atomic.Value", "", "s.L.Store(1)",
		"for s.L.Load() == nil { machine.Pause() }"},
	plan.AtomicFunc: {"int64", "", "atomic.AddInt64(&s.L, 1)",
		"for atomic.LoadInt64(&s.L) == 0 { machine.Pause() }"},
	plan.AtomicCount: {"atomic.Int32", "", "s.L.Add(1)", "for s.L.Load() != N { machine.Pause() }"},
}

// text is a line of an inline for link l of a plan.
func (in inline) text(line string, l int, p *plan.Plan) string {
	signals := 0
	for i := range p.Ops {
		if o := &p.Ops[i]; o.Action == plan.Signal && o.Link == l {
			signals++
		}
	}
	return strings.NewReplacer(
		"s.L", "s.l"+strconv.Itoa(l),
		"N", strconv.Itoa(signals),
		"R)", strconv.Itoa(p.Links[l].Room)+")",
	).Replace(line)
}
