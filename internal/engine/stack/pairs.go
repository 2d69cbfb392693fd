// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"sync/atomic"
	"unsafe"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// Packages register which calls depend on another one: two places in one function. The frame of
// two calls tells whether one activation of the function made both. Calls that are made through
// other functions are told by their stacks: see through.go.

// decided is a cache: for a pair of sites, whether the second depends on the first. An entry is a
// hash, with the answer as its lowest bit.
var decided [1 << 10]atomic.Uint64

// Decides reports whether act, if it follows check on its goroutine, does so because of what that
// returned. If act is nil, any act will do.
func Decides(t *commrace.Table, check, act *commrace.Action) bool {
	if act == nil {
		return check.At.Site != 0 && (remembered(t, check, nil, false) ||
			source.Registered.Through.Load() != 0 && remembered(t, check, nil, true))
	}
	if check.At.Site == 0 || act.At.Site == 0 {
		return false
	}
	return decidesItself(t, check, act) ||
		source.Registered.Through.Load() != 0 && remembered(t, check, act, true)
}

// decidesItself is Decides for calls that one function makes.
func decidesItself(t *commrace.Table, check, act *commrace.Action) bool {
	calledBack := t.Methods[check.Method].Callback && StackOf(act.Stack).has(check.At.Site)
	if check.At.Frame != act.At.Frame && !calledBack {
		return false // another activation; but one in a function that check calls back is its own
	}
	return remembered(t, check, act, false)
}

// remembered reports whether a pair of calls is registered, by their places in the source; or by
// their stacks, if they are made through functions. If act is nil, any pair with this check will
// do.
func remembered(t *commrace.Table, check, act *commrace.Action, through bool) bool {
	h := uint64(source.Registered.N.Load()) // another package may still register
	key := [...]uint64{uint64(check.At.Site), uint64(check.Method),
		uint64(uintptr(unsafe.Pointer(t))), 0, 0}
	if act != nil {
		key[3], key[4] = uint64(act.At.Site), uint64(act.Method)
	}
	if through {
		key[0] = uint64(check.Stack)
		if act != nil {
			key[3] = uint64(act.Stack)
		}
	}
	for _, v := range key {
		h = (h ^ v) * 0x9E3779B97F4A7C15
		h ^= h >> 31
	}
	known := &decided[h>>54]
	if v := known.Load(); v|1 == h|1 && v != 0 {
		return v&1 != 0
	}
	yes := uint64(0)
	if through && throughPair(t, check, act).ok || !through && registeredPair(t, check, act) {
		yes = 1
	}
	known.Store(h&^1 | yes)
	return yes != 0
}

// registeredPair looks calls up in what is registered.
func registeredPair(t *commrace.Table, check, act *commrace.Action) (yes bool) {
	b := text.Buffers.Get()
	prefix := FrameOf(t, b)
	from := SiteStack(check.At.Site).Top(prefix)
	to := from
	if act != nil {
		to = SiteStack(act.At.Site).Top(prefix)
	}
	text.Buffers.Put(b)
	source.Registered.Lock.Lock()
	source.Acts(from, t.Methods[check.Method].Name, func(a *compiled.CheckAct) {
		yes = yes || !a.Through && (act == nil || int(a.Act.Line) == to.Line &&
			a.Act.File == text.Base(to.File) && a.Act.Method == t.Methods[act.Method].Name &&
			source.PackageOf(from.Func) == source.PackageOf(to.Func))
	})
	source.Registered.Lock.Unlock()
	return yes
}
