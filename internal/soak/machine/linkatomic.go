// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package machine

import (
	"sync/atomic"
	"unsafe"
)

// seen is a link by an atomic operation whose effect the waiter sees.
func seen(signal func(), sees func() bool) link {
	return link{signal: signal, wait: func() { wait(sees) }}
}

func atomicStore(u use) link {
	if u.room == 1 {
		x := new(atomic.Uint32)
		return seen(func() { x.Store(1) }, func() bool { return x.Load() == 1 })
	}
	x := new(atomic.Int64)
	return seen(func() { x.Store(1) }, func() bool { return x.Load() == 1 })
}

func atomicSwap(u use) link {
	if u.room == 1 {
		x := new(atomic.Uintptr)
		return seen(func() { x.Swap(1) }, func() bool { return x.Load() == 1 })
	}
	x := new(atomic.Int32)
	return seen(func() { x.Swap(1) }, func() bool { return x.Load() == 1 })
}

func atomicCAS(u use) link {
	if u.room == 1 {
		x := new(atomic.Uint64)
		return seen(func() { x.CompareAndSwap(0, 1) },
			func() bool { return x.CompareAndSwap(1, 2) })
	}
	x := new(atomic.Int32)
	return seen(func() { x.CompareAndSwap(0, 1) }, func() bool { return x.CompareAndSwap(1, 2) })
}

func atomicAdd(use) link {
	x := new(atomic.Int64)
	return seen(func() { x.Add(2) }, func() bool { return x.Load() == 2 })
}

func atomicOr(u use) link {
	x := new(atomic.Uint32)
	if u.room == 1 {
		x.Store(3)
		return seen(func() { x.And(2) }, func() bool { return x.Load() == 2 })
	}
	return seen(func() { x.Or(4) }, func() bool { return x.Load() == 4 })
}

func atomicBool(use) link {
	x := new(atomic.Bool)
	return seen(func() { x.Store(true) }, x.Load)
}

func atomicPtr(use) link {
	x := new(atomic.Pointer[int])
	return seen(func() { x.Store(new(int)) }, func() bool { return x.Load() != nil })
}

func atomicAny(use) link {
	x := new(atomic.Value)
	return seen(func() { x.Store("x") }, func() bool { return x.Load() != nil })
}

func atomicFunc(u use) link {
	switch u.room {
	case 1:
		x := new(int32)
		return seen(func() { atomic.StoreInt32(x, 1) },
			func() bool { return atomic.LoadInt32(x) == 1 })
	case 2:
		x := new(uint64)
		return seen(func() { atomic.AddUint64(x, 1) },
			func() bool { return atomic.LoadUint64(x) == 1 })
	}
	x := new(unsafe.Pointer)
	return seen(func() { atomic.StorePointer(x, unsafe.Pointer(x)) },
		func() bool { return atomic.LoadPointer(x) != nil })
}

func atomicCount(u use) link {
	x := new(atomic.Int64)
	return seen(func() { x.Add(1) }, func() bool { return x.Load() == int64(u.signals) })
}
