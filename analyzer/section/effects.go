// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// other adds what an instruction does besides accesses to variables: it waits, or calls a method of
// a type that synchronizes itself, or what is not known.
func (a *effects) other(m *Method, in *function, instr ssa.Instruction) {
	wait := func(what string) {
		if m.Waits == "" {
			m.Waits = what
		}
	}
	switch instr := instr.(type) {
	case *ssa.UnOp:
		if instr.Op == token.ARROW {
			wait("a channel")
		}
	case *ssa.Send:
		wait("a channel")
	case *ssa.Select:
		if instr.Blocking {
			wait("a channel")
		} else {
			m.unknown("it uses a channel")
		}
	case *ssa.Go:
		m.unknown("it starts a goroutine")
	case *ssa.Call:
		a.otherCall(m, in, instr, wait)
	}
}

func (m *Method) unknown(why string) {
	if m.Unknown == "" {
		m.Unknown = why
	}
}

// waiting are the functions that wait.
var waiting = map[string]string{
	"(*sync.Cond).Wait": "a sync.Cond", "(*sync.WaitGroup).Wait": "a sync.WaitGroup",
	"time.Sleep": "time.Sleep",
}

// otherCall is other for a call.
func (a *effects) otherCall(m *Method, in *function, call *ssa.Call, wait func(string)) {
	common := &call.Call
	fn := common.StaticCallee()
	switch {
	case common.IsInvoke():
		if len(in.in.implementations(common)) == 0 && !isLockCall(common.Method) &&
			!inertInterface(common.Value.Type()) {
			m.unknown("it calls a method of " + types.TypeString(common.Value.Type(),
				types.RelativeTo(a.pkg)) + ", an interface")
		}
	case fn == nil || a.function(fn) != nil:
	case waiting[fn.String()] != "":
		wait(waiting[fn.String()])
	case fn.Signature.Recv() != nil && isSynchronized(fn):
		a.synchronized(m, in, call, fn)
	}
}

func isLockCall(fn *types.Func) bool {
	_, ok := lockMethods[fn.Name()]
	return ok
}

// inertInterface reports whether values of an interface are errors, or of packages that keep no
// state of the object.
func inertInterface(t types.Type) bool {
	return types.TypeString(t, nil) == "error" || types.TypeString(t, nil) == "context.Context"
}

// isSynchronized reports whether a method is one of an atomic variable, or of a sync.Map.
func isSynchronized(fn *ssa.Function) bool {
	named := receiverName(fn.Signature.Recv())
	if named == nil || named.Pkg() == nil {
		return false
	}
	path := named.Pkg().Path()
	return path == "sync/atomic" || path == "sync" && (named.Name() == "Map" ||
		named.Name() == "Pool")
}

// synchronized adds a call of a method of an atomic variable, or of a sync.Map.
func (a *effects) synchronized(m *Method, in *function, call *ssa.Call, fn *ssa.Function) {
	addr, ok := call.Call.Args[0].(*ssa.FieldAddr)
	if !ok {
		m.unknown("it uses " + fn.String() + " of a variable that is not one of its fields")
		return
	}
	name := fn.Name()
	p := Point{Var: a.nameOf(addr).full(), Key: -1}
	p.Sum = name == "Add" && onlyUse(call) == nil && len(*call.Referrers()) == 0
	p.Write = name != "Load" && name != "Range"
	if receiverName(fn.Signature.Recv()).Name() == "Map" {
		p.Kind = Keyed
		if in.Signature.Recv() != nil && len(call.Call.Args) > 1 {
			p.Key = in.parameter(call.Call.Args[1]) - 1
		}
		if p.Key < 0 {
			p.Key = -1
		}
	}
	m.put(p)
}
