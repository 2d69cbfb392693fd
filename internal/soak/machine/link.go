// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"sync"

	"github.com/commutego/commute/internal/soak/plan"
)

// A link is the implementation of a [plan.Link]. End, if it isn't nil, frees it.
type link struct{ signal, wait, end func() }

// A use says how a link is used: how often it is signaled and waited for, and the room of its
// queue.
type use struct{ signals, waits, room int }

var makers = [plan.Kinds]func(u use) link{
	plan.Mutex:       mutex,
	plan.TryLock:     tryLock,
	plan.RWRead:      rwRead,
	plan.RWWrite:     rwWrite,
	plan.Once:        once,
	plan.OnceFunc:    onceFunc,
	plan.OnceValue:   onceValue,
	plan.WaitGroup:   waitGroup,
	plan.CondSignal:  func(use) link { return cond((*sync.Cond).Signal) },
	plan.CondAll:     func(use) link { return cond((*sync.Cond).Broadcast) },
	plan.Pool:        pool,
	plan.SyncMap:     syncMap,
	plan.AtomicStore: atomicStore,
	plan.AtomicSwap:  atomicSwap,
	plan.AtomicCAS:   atomicCAS,
	plan.AtomicAdd:   atomicAdd,
	plan.AtomicOr:    atomicOr,
	plan.AtomicBool:  atomicBool,
	plan.AtomicPtr:   atomicPtr,
	plan.AtomicAny:   atomicAny,
	plan.AtomicFunc:  atomicFunc,
	plan.AtomicCount: atomicCount,
	plan.ChanQueue:   func(u use) link { return channel(make(chan int, u.room)) },
	plan.ChanSlot:    func(u use) link { return channel(make(chan struct{}, u.room)) },
	plan.ChanMeet:    func(use) link { return channel(make(chan string)) },
	plan.ChanClose:   closed,
	plan.SelectRecv:  selectRecv,
	plan.SelectSend:  selectSend,
	plan.SelectMeet:  selectMeet,
	plan.SelectPoll:  selectPoll,
	plan.TimerReset:  timer,
	plan.TickerReset: ticker,
	plan.CtxCancel:   ctxCancel,
	plan.CtxErr:      ctxErr,
	plan.CtxChild:    ctxChild,
	plan.CtxCause:    ctxCause,
	plan.IOPipe:      ioPipe,
	plan.OSPipe:      osPipe,
	plan.File:        file,
	plan.TCP:         func(use) link { return socket("tcp", "127.0.0.1:0") },
	plan.Unix:        unix,
}

func mutex(use) link {
	mu := new(sync.Mutex)
	mu.Lock()
	return link{signal: mu.Unlock, wait: mu.Lock}
}

func tryLock(use) link {
	mu := new(sync.Mutex)
	mu.Lock()
	return link{signal: mu.Unlock, wait: func() { wait(mu.TryLock) }}
}

func rwRead(use) link {
	mu := new(sync.RWMutex)
	mu.Lock()
	return link{signal: mu.Unlock, wait: mu.RLock}
}

func rwWrite(u use) link {
	mu := new(sync.RWMutex)
	for range u.signals {
		mu.RLock()
	}
	return link{signal: mu.RUnlock, wait: mu.Lock}
}

// done is a link by a function that is called once; the waiter calls it when it has been.
func done(do func()) link {
	f := new(notice)
	return link{
		signal: func() { do(); f.raise() },
		wait:   func() { f.await(); do() },
	}
}

func once(use) link {
	o := new(sync.Once)
	return done(func() { o.Do(func() {}) })
}

func onceFunc(use) link { return done(sync.OnceFunc(func() {})) }

func onceValue(use) link {
	get := sync.OnceValue(func() int { return 1 })
	return done(func() { get() })
}

func waitGroup(u use) link {
	all := new(sync.WaitGroup)
	all.Add(u.signals)
	return link{signal: all.Done, wait: all.Wait}
}

// cond is a link by a sync.Cond; wake is Signal or Broadcast.
func cond(wake func(*sync.Cond)) link {
	c, ready := sync.NewCond(new(sync.Mutex)), new(notice)
	return link{
		signal: func() {
			c.L.Lock()
			ready.raise()
			wake(c)
			c.L.Unlock()
		},
		wait: func() {
			c.L.Lock()
			for !ready.raised() {
				c.Wait()
			}
			c.L.Unlock()
		},
	}
}

// pool puts two values, of which one can be stolen by another processor. Should a collection take
// them away, the channel orders.
func pool(use) link {
	p, f, c := new(sync.Pool), new(notice), make(chan int, 1)
	return link{
		signal: func() { p.Put(new(int)); p.Put(new(int)); c <- 1; f.raise() },
		wait: func() {
			f.await()
			for range 10 {
				if p.Get() != nil {
					return
				}
			}
			<-c
		},
	}
}

func syncMap(use) link {
	m, f := new(sync.Map), new(notice)
	return link{
		signal: func() { m.LoadOrStore(1, 1); f.raise() },
		wait:   func() { f.await(); m.LoadAndDelete(1) },
	}
}
