// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package stack

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/compiled"
	"github.com/commutego/commute/internal/engine/host"
	"github.com/commutego/commute/internal/engine/source"
	"github.com/commutego/commute/internal/engine/text"
)

// A function may check, or act, through others: it calls get and put, and get calls Load. Then the
// registered places are those of the calls of get and put. They are frames of the two calls'
// stacks. From there outwards the stacks must be equal. Only pairs are registered of which the
// function always checks before it acts, so the act's activation of it has checked.

// maxThrough is how many frames may be between a call and the function that checks and acts.
const maxThrough = 4

// A path is how a function comes to its check: by the call of the check's frame with this number.
// The innermost frame is number 0.
type path struct {
	frame int
	ok    bool
}

// inner has the innermost frames of a call.
type inner struct {
	frames [maxThrough]host.Frame
	n      int
}

// innerOf finds the innermost frames of a call.
func innerOf(s *Stack, prefix string) (in inner) {
	s.Walk(prefix, func(fr host.Frame) bool {
		in.frames[in.n] = fr
		in.n++
		return in.n < len(in.frames)
	})
	return in
}

// restOf is a hash of the frames of a stack outside of one.
func restOf(s *Stack, prefix string, frame int) uint64 {
	h, n := uint64(s.Elided), 0
	s.Walk(prefix, func(fr host.Frame) bool {
		if n++; n > frame+1 {
			h = (h ^ PlaceOf(fr)) * 0x9E3779B97F4A7C15
			h ^= h >> 29
		}
		return true
	})
	return h
}

// throughPair looks for a function that makes a check and an act through others. If act is nil,
// any act will do.
func throughPair(t *commrace.Table, check, act *commrace.Action) (p path) {
	s := StackOf(check.Stack)
	if s == nil {
		return p
	}
	b := text.Buffers.Get()
	prefix := FrameOf(t, b)
	from := innerOf(s, prefix)
	source.Registered.Lock.Lock()
	for i := 0; i < from.n && !p.ok; i++ {
		source.Acts(from.frames[i], t.Methods[check.Method].Name, func(a *compiled.CheckAct) {
			if a.Through && !p.ok {
				p = path{i, act == nil || actsThrough(t, a, s, i, act, prefix)}
			}
		})
	}
	source.Registered.Lock.Unlock()
	text.Buffers.Put(b)
	return p
}

// EachThrough calls f for each registered pair whose check is made through functions, or decides
// about an act that is, by a call with this stack. The lock of what is registered is held.
func (s *Stack) EachThrough(t *commrace.Table, check uint32, f func(*compiled.CheckAct)) {
	if s == nil || source.Registered.Through.Load() == 0 {
		return
	}
	b := text.Buffers.Get()
	from := innerOf(s, FrameOf(t, b))
	text.Buffers.Put(b)
	for i := range from.n {
		source.Acts(from.frames[i], t.Methods[check].Name, func(a *compiled.CheckAct) {
			if a.Through {
				f(a)
			}
		})
	}
}

// actsThrough reports whether an act is the one of a registered pair, whose check is at a frame of
// its stack.
func actsThrough(t *commrace.Table, a *compiled.CheckAct, check *Stack, frame int,
	act *commrace.Action, prefix string) bool {
	s := StackOf(act.Stack)
	if s == nil || a.Act.Method != t.Methods[act.Method].Name {
		return false
	}
	to := innerOf(s, prefix)
	by, _ := check.Caller(prefix, frame)
	for j := range to.n {
		fr := &to.frames[j]
		if int(a.Act.Line) == fr.Line && a.Act.File == text.Base(fr.File) && fr.Func == by.Func {
			return restOf(check, prefix, frame) == restOf(s, prefix, j)
		}
	}
	return false
}

// Caller is a frame of a stack of which the innermost has number 0, and identifies its line.
func (s *Stack) Caller(method string, frame int) (found host.Frame, code uint64) {
	n := 0
	s.Walk(method, func(fr host.Frame) bool {
		found = fr
		n++
		return n <= frame
	})
	return found, PlaceOf(found)
}

// SameCheck reports whether another call, at the same place as a check, is followed by the act as
// well. It is, unless the check was made through functions, and the other call was not.
func SameCheck(t *commrace.Table, check, act, other *commrace.Action) bool {
	if decidesItself(t, check, act) {
		return true
	}
	p := throughPair(t, check, act)
	if !p.ok {
		return true
	}
	b := text.Buffers.Get()
	prefix := FrameOf(t, b)
	from, to := innerOf(StackOf(check.Stack), prefix), innerOf(StackOf(other.Stack), prefix)
	text.Buffers.Put(b)
	if to.n <= p.frame {
		return false
	}
	for i := range p.frame + 1 {
		x, y := &from.frames[i], &to.frames[i]
		if x.Line != y.Line || x.Func != y.Func || x.File != y.File {
			return false
		}
	}
	return true
}

// Depth is the number of the frame of a check in which its act is made, the innermost being 0.
func Depth(t *commrace.Table, check, act *commrace.Action) int {
	if source.Registered.Through.Load() == 0 || decidesItself(t, check, act) {
		return 0
	}
	if p := throughPair(t, check, act); p.ok {
		return p.frame
	}
	return 0
}
