// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package call

import (
	"bytes"
	"io"
	"runtime"
	gosync "sync"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/internal/engine/fixture"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/record"
	"github.com/commutego/commute/internal/engine/recorder"
	"github.com/commutego/commute/internal/engine/sync"
	"github.com/commutego/commute/internal/engine/vclock"
	"github.com/commutego/commute/internal/event"
	"github.com/commutego/commute/internal/trace/native"
	"github.com/commutego/commute/internal/trace/spec"
)

// An orderer is a goroutine that orders calls of an object, one after the other.
type orderer struct {
	*Caller
	ready atomic.Bool
	began atomic.Int64              // calls so far
	at    [orders + 1]atomic.Uint64 // the weak epochs at which they came, from 1 on
	knows [orders + 1]int           // of calls of the other, after each of its own
}

const orders = 20_000

// run orders calls, and notes how many calls of the other each comes after.
func (o *orderer) run(other *orderer, obj uintptr) {
	weak := &o.Weak.Clock.P().Thread
	for o.ready.Store(true); !other.ready.Load(); {
		runtime.Gosched()
	}
	for i := 1; i <= orders; i++ {
		o.at[i].Store(uint64(weak.Tick()))
		o.began.Store(int64(i))
		orderCall(o.Caller, obj)
		n := o.knows[i-1]
		for n < int(other.began.Load()) && weak.Knows(vclock.Epoch(other.at[n+1].Load())) {
			n++
		}
		o.knows[i] = n
	}
}

// TestOrdersAsRecorded has two goroutines order calls of an object at once. Each call has to come
// in the trace after those that it comes after by its goroutine's weak clock, and no others.
func TestOrdersAsRecorded(t *testing.T) {
	if ^uintptr(0)>>63 == 0 {
		t.Skip("a program with addresses of 32 bits has no weak clocks")
	}
	fixture.Clear(t)
	sync.SetWeakClocks(true)
	defer sync.SetWeakClocks(false)
	var mu gosync.Mutex
	var out bytes.Buffer
	host.Output = func(fd uintptr, p []byte) bool {
		mu.Lock()
		defer mu.Unlock()
		if fd == 7 {
			out.Write(p)
		}
		return true
	}
	defer func() { host.Output = nil }()
	record.Forget()
	recorder.Start(7, 0)
	defer recorder.Stop()
	const obj = 0x7b0000300000
	both := [2]*orderer{{Caller: startCaller()}, {Caller: startCaller()}}
	for i, o := range both {
		o.RecordStart(nil, uint64(i+1), 0)
		o.OrderWeak(obj + 64) // starts the weak clock
	}
	var wg gosync.WaitGroup
	for i, o := range both {
		wg.Go(func() { o.run(both[1-i], obj) })
	}
	wg.Wait()
	recorder.Stop()
	var n [2]int // orders of each in the trace
	mixed := 0
	for _, thread := range ordersIn(t, &out) {
		i := 0
		if thread == both[1].InTrace.Number {
			i = 1
		}
		n[i]++
		o := both[i]
		if got := o.knows[n[i]]; got != n[1-i] {
			t.Fatalf("call %d comes after %d of the other's, and in the trace after %d",
				n[i], got, n[1-i])
		}
		if o.knows[n[i]] != o.knows[n[i]-1] {
			mixed++
		}
	}
	if n != [2]int{orders, orders} {
		t.Errorf("%d orders in the trace, want %d of each", n, orders)
	}
	t.Logf("%d times the other came between", mixed)
	for _, o := range both {
		o.Finish()
	}
}

// ordersIn is the threads of the orders of calls in a trace, in their order.
func ordersIn(t *testing.T, data io.Reader) (threads []uint32) {
	t.Helper()
	r, err := native.NewReader(data)
	if err != nil {
		t.Fatal(err)
	}
	r.WantSections()
	var batch [64]event.Event
	for {
		_, err := r.Read(batch[:])
		for _, s := range r.Sections() {
			if s.Kind == event.Value && s.What == spec.Orders {
				threads = append(threads, s.Thread)
			}
		}
		if err == io.EOF {
			return threads
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
