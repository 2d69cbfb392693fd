// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package replay

import (
	"path"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/trace"
)

// Decides reports whether act depends on what check returned: the trace has it so of their places,
// and one activation of a function has made both. If act is nil, any act will do.
func (t *thread) Decides(table *commrace.Table, check, act *commrace.Action) bool {
	if act == nil {
		_, ok := t.replay.sites[check.At.Site]
		return ok
	}
	return t.decidesItself(table, check, act) || t.through(table, check, act).ok
}

// decidesItself is Decides for calls that one function makes.
func (t *thread) decidesItself(table *commrace.Table, check, act *commrace.Action) bool {
	r := t.replay
	pos, ok := r.sites[check.At.Site]
	if !ok || check.At.Frame == 0 || act.At.Frame == 0 {
		return false
	}
	if check.At.Frame != act.At.Frame && !(table.Methods[check.Method].Callback &&
		slices.Contains(r.program.PCs(uint32(act.Owner)), uint64(check.At.Site))) {
		return false // another activation; one in a function that check calls back is its own
	}
	pair := [2]uint32{pos, uint32(act.Owner)}
	yes, ok := r.decided[pair]
	if !ok {
		yes = r.decides(pair, table, act)
		r.decided[pair] = yes
	}
	return yes
}

// decides looks a pair of positions up in what the trace says of the first.
func (r *Replay) decides(pair [2]uint32, table *commrace.Table, act *commrace.Action) bool {
	check, acts := r.program.Stack(pair[0]), r.program.Stack(pair[1])
	if len(check) == 0 || len(acts) == 0 || !within(acts[0].Func, check[0].Func) &&
		!within(check[0].Func, acts[0].Func) {
		return false // one is in a function that the compiler has put in the other's place
	}
	to := acts[0]
	at := trace.Act{File: path.Base(to.File), Line: to.Line, Method: table.Methods[act.Method].Name}
	return slices.Contains(r.place(pair[0]).acts, at)
}

// within reports whether a function is another one, or in it.
func within(function, outer string) bool {
	rest, ok := strings.CutPrefix(function, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '-')
}

// A throughPath is how a function comes to its check through others: by the call of the check's
// frame with this number. The innermost frame is number 0. See package stack of the engine.
type throughPath struct {
	frame int
	ok    bool
}

// through looks for a function that makes a check and an act through others.
func (t *thread) through(table *commrace.Table, check, act *commrace.Action) throughPath {
	r := t.replay
	pair := [2]uint32{uint32(check.Owner), uint32(act.Owner)}
	p, ok := r.throughs[pair]
	if !ok && len(r.place(pair[0]).acts) > 0 {
		p = r.findThrough(pair, table, act)
		r.throughs[pair] = p
	}
	return p
}

// maxThrough is how many frames may be between a call and the function that checks and acts.
const maxThrough = 4

// findThrough compares the stacks of two calls: from the frames of one function outwards they are
// equal.
func (r *Replay) findThrough(pair [2]uint32, table *commrace.Table, act *commrace.Action,
) (p throughPath) {
	from, to := r.program.Stack(pair[0]), r.program.Stack(pair[1])
	for i := range min(len(from), maxThrough) {
		j := i + len(to) - len(from)
		if j < 0 || j >= min(len(to), maxThrough) || i+j == 0 || from[i].Func != to[j].Func ||
			!slices.Equal(from[i+1:], to[j+1:]) {
			continue
		}
		at := trace.Act{File: path.Base(to[j].File), Line: to[j].Line,
			Method: table.Methods[act.Method].Name}
		if slices.Contains(r.place(pair[0]).acts, at) {
			return throughPath{i, true}
		}
	}
	return p
}

// SameCheck reports whether another call, at the same place as a check, is followed by the act as
// well.
func (t *thread) SameCheck(table *commrace.Table, check, act, other *commrace.Action) bool {
	if t.decidesItself(table, check, act) {
		return true
	}
	p := t.through(table, check, act)
	if !p.ok {
		return true
	}
	from := t.replay.program.Stack(uint32(check.Owner))
	to := t.replay.program.Stack(uint32(other.Owner))
	return len(to) > p.frame && slices.Equal(from[:p.frame+1], to[:p.frame+1])
}
