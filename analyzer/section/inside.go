// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What a method of a container accesses is told by its name, and by its first argument: one that is
// a parameter is taken for a key.

// containerCall is the call of a container's method that an event is.
func (s *site) containerCall() (call *ssa.Call, ok bool) {
	call, ok = s.instr.(*ssa.Call)
	if !ok || s.class() != elements {
		return nil, false
	}
	_, builtin := call.Call.Value.(*ssa.Builtin)
	return call, !builtin
}

// container adds what the call of a container's method accesses.
func (a *effects) container(m *Method, e *event, call *ssa.Call, p Point) {
	size := Point{Var: p.Var, Kind: Length, Key: -1, Write: p.Write, Sum: p.Write}
	switch key, ok := a.containerKey(e, call); {
	case ok:
		p.Kind, p.Key = Keyed, key-1
		m.put(p)
		if p.Write {
			m.put(size)
		}
	case !p.Write && namesCount(call.Call.StaticCallee().Name()):
		m.put(size)
	default:
		m.Order = true
		m.Writes = m.Writes || p.Write
		if p.Write && !moves(call.Call.StaticCallee().Name()) {
			m.put(size)
		}
	}
}

// containerKey is the parameter of the event's function that a container gets for a key.
func (a *effects) containerKey(e *event, call *ssa.Call) (param int, ok bool) {
	if e.from == nil {
		if len(call.Call.Args) < 2 || !isKeyType(call.Call.Args[1].Type()) {
			return 0, false
		}
		param = e.in.parameter(call.Call.Args[1])
		return param, param > 0
	}
	param, ok = a.containerKey(e.from, call)
	if !ok || e.via.function == nil || param >= len(e.via.args) {
		return 0, false
	}
	param = e.f.parameter(e.via.args[param])
	return param, param > 0
}

// isKeyType reports whether values of a type are likely to be keys.
func isKeyType(t types.Type) bool {
	if _, pointer := t.Underlying().(*types.Pointer); pointer {
		return false
	}
	return types.Comparable(t)
}

// ordering reports whether an event is the call of a container's method without a key.
func (a *effects) ordering(e *event) bool {
	call, ok := e.containerCall()
	if !ok {
		return false
	}
	_, keyed := a.containerKey(e, call)
	return !keyed
}

func hasPrefix(name string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(name, prefix); ok &&
			(rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			return true
		}
	}
	return false
}

// namesCount reports whether a method's name says that it counts what there is.
func namesCount(name string) bool { return hasPrefix(name, "Len", "Size", "Count") }

// moves reports whether a method's name says that it leaves what there is, in another order.
func moves(name string) bool { return hasPrefix(name, "Move", "Sort", "Swap", "Reverse", "Fix") }
