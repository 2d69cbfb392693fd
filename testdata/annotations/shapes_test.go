// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package annotations

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/commutego/commute/testdata/annotations/disk"
	"github.com/commutego/commute/testdata/annotations/store"
)

// either calls f and g on two goroutines that nothing orders.
func either(f, g func()) { both(func(i int) { []func(){f, g}[i]() }) }

func TestRaceInterfaceHere(t *testing.T) {
	kv := store.NewKV()
	either(func() { kv.Set("a", 1) }, func() { kv.Count() })
}

func TestRaceInterfaceElsewhere(t *testing.T) {
	kv := disk.New(false)
	either(func() { kv.Set("a", 1) }, func() { kv.Count() })
}

func TestNoRaceInterfaces(t *testing.T) {
	for _, kv := range []store.KV{store.NewKV(), disk.New(false)} {
		both(func(i int) { kv.Set(strconv.Itoa(i), i); kv.Get(strconv.Itoa(i)) })
	}
}

func TestNoRaceInterfaceError(t *testing.T) {
	kv := disk.New(true)
	either(func() { kv.Set("a", 1) }, func() { kv.Count() })
}

var names atomic.Int32

func TestRaceFunctions(t *testing.T) {
	name := fmt.Sprint("race", names.Add(1)) // drivers stay registered
	either(func() { store.Register(name, 1) }, func() { store.Driver(name) })
}

func TestNoRaceFunctions(t *testing.T) {
	name := fmt.Sprint("fine", names.Add(1))
	both(func(i int) { store.Register(name+strconv.Itoa(i), i); store.Driver(name + strconv.Itoa(i)) })
	store.Register("known", "x")
	either(func() { store.Register("known", 2.5) }, func() { store.Driver("known") })
}

func TestRaceConstant(t *testing.T) {
	var l store.Log
	either(func() { l.Do(store.Request{Size: 1}) }, func() { l.Do(store.Request{Size: 11}) })
}

func TestNoRaceConstant(t *testing.T) {
	var l, m store.Log
	either(func() { l.Do(store.Request{Size: 12}) }, func() { l.Do(store.Request{Size: 11}) })
	dry := store.Request{Size: 1}
	dry.Flag.Dry = true
	both(func(int) { m.Do(dry) })
}

func TestRaceIdentity(t *testing.T) {
	s := store.NewShared()
	u := s
	either(func() { s.Add("a") }, func() { u.Has("a") })
}

func TestNoRaceIdentity(t *testing.T) {
	s, u := store.NewShared(), store.NewShared()
	either(func() { s.Add("a") }, func() { u.Has("a") })
	if (*store.Shared)(nil).Has("a") {
		t.Error("there is something")
	}
}

func TestRaceChannelType(t *testing.T) {
	i := make(store.Inbox, 2)
	either(func() { i.Send(1) }, func() { i.Size() })
}

func TestNoRaceChannelType(t *testing.T) {
	i, j := make(store.Inbox, 2), make(store.Inbox, 2)
	either(func() { i.Send(1) }, func() { j.Size() })
}

func TestRaceFile(t *testing.T) {
	var q store.Queue[string]
	either(func() { q.Push("a") }, func() { q.Push("b") })
}

func TestRaceSet(t *testing.T) {
	var q store.Queue[string]
	either(func() { q.Push("a") }, func() { q.Len() })
}

func TestNoRaceFile(t *testing.T) {
	var q store.Queue[string]
	q.Push("a")
	either(func() { q.Push() }, func() { q.Len(); q.Peek(); q.First() })
}

func TestNoRaceWildcard(t *testing.T) {
	var q store.Queue[int]
	either(func() { q.Push(1) }, func() { q.Cap() })
}

func TestRaceNamedCallback(t *testing.T) {
	var table store.Table[string, int]
	inTurn(func(i int) {
		table.Update("a", func(key string, old ...int) (int, error) { return old[0] + len(key) + i, nil })
	})
}

func TestNoRaceNamedCallback(t *testing.T) {
	var table store.Table[string, int]
	fails := func(string, ...int) (int, error) { return 0, errors.New("no") }
	either(func() { table.Update("a", fails) }, func() { table.At("a") })
	both(func(i int) {
		k := strconv.Itoa(i)
		table.Update(k, func(key string, old ...int) (int, error) { return len(key) + len(old), nil })
		if table.At(k) != 2 {
			t.Errorf("%s: %d", k, table.At(k))
		}
	})
	table.Update("c", func(string, ...int) (int, error) { return 7, nil })
	if table.At("c") != 7 {
		t.Error("not updated")
	}
}

// turn forces an interleaving without an edge: no detector sees its accesses.
var turn int

//go:norace
//go:noinline
func setTurn(i int) { turn = i }

//go:norace
//go:noinline
func isTurn(i int) bool { return turn == i }

// inTurn is both, but the second goroutine calls f only after the first one's f has returned. With
// both, a race of calls that take a lock was missed in one or two of a thousand runs.
func inTurn(f func(i int)) {
	setTurn(0)
	both(func(i int) {
		for !isTurn(i) {
			runtime.Gosched()
		}
		f(i)
		setTurn(i + 1)
	})
}
