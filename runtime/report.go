// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package runtime

import (
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/datarace"
	"github.com/commutego/commute/internal/engine/term"
)

const ruler = "==================\n"

// print writes the report of a new finding, in the shape of the race detector's.
func (r *race) print(b *buffer, f *finding, prefix string) {
	if r.Violation != commrace.NoViolation {
		r.printBreach(b, f, prefix)
		return
	}
	b.texts(ruler, "WARNING: COMMUTATIVITY RACE\n")
	r.side(b, r.Second, "", prefix)
	r.side(b, r.First, "Previous ", prefix)
	r.origins(b)
	r.object(b, f)
	r.key(b)
	b.text("They commute only if: ")
	r.formula(b, r.First.Method, r.Second.Method)
	b.texts("What can go wrong: ", f.effect, ": ")
	r.explain(b, f.effect)
	b.text("\nEvidence: race: nothing in the program forces the order of the two calls\n")
	b.text(ruler)
}

// origins writes where the goroutines of the calls were started.
func (r *race) origins(b *buffer) {
	r.origin(b, r.Second)
	if r.First.Goid != r.Second.Goid {
		r.origin(b, r.First)
	}
}

// key writes the key that the calls meet on.
func (r *race) key(b *buffer) {
	if r.Keyed {
		if args, k := r.Second.Args(), r.table.Methods[r.Second.Method].Key(); k < len(args) {
			b.text("Key: ")
			value(b, &args[k])
			b.text("\n")
		}
	}
}

// formula writes when calls of two methods commute.
func (r *race) formula(b *buffer, i, j uint32) {
	fm := r.table.Formula(i, j)
	b.text(fm.Text)
	if fm.OnlyResults() {
		b.text(", or if their results are not used")
	}
	b.texts("   (", r.table.Methods[min(i, j)].Name, ", ", r.table.Methods[max(i, j)].Name, ": ", fm.Pos, ")\n")
}

// side writes one of the two calls, with its stack.
func (r *race) side(b *buffer, a *commrace.Action, word, prefix string) {
	b.text(word)
	r.call(b, a)
	b.text(" by goroutine ")
	b.uint(a.Goid)
	b.text(":\n")
	trace(b, stackOf(a.Stack), prefix, int(a.Elided))
	b.text("\n")
}

// call writes a call as the program makes it, with what it returned.
func (r *race) call(b *buffer, a *commrace.Action) {
	m := &r.table.Methods[a.Method]
	b.texts(m.Name, "(")
	args := a.Args()
	n := 0
	n = named(b, m.Params, args, &n, 1<<30)
	b.text(")")
	if n >= len(args) {
		return
	}
	if m.Visible > 0 {
		b.text(" = (")
		first := n
		n = named(b, m.Results, args, &first, m.Visible)
		b.text(")")
	}
	if n < len(args) {
		b.text(" [")
		skip := m.Results
		for range m.Visible {
			_, skip = cut(skip, ',')
		}
		named(b, skip, args, &n, 1<<30)
		b.text("]")
	}
}

// named writes at most limit of the values from args[*from] on, with their names.
func named(b *buffer, names string, args []commrace.Arg, from *int, limit int) int {
	i := *from
	for k := 0; names != "" && i < len(args) && k < limit; k++ {
		var name string
		name, names = cut(names, ',')
		if k > 0 {
			b.text(", ")
		}
		b.texts(name, ": ")
		value(b, &args[i])
		i++
	}
	return i
}

// trace writes a stack as the race detector does; elided frames of it are not kept.
func trace(b *buffer, s *stack, prefix string, elided int) {
	l := frameList{s: s, prefix: prefix}
	if l.write(b, elided, false) == 0 {
		b.text("  [no stack]\n")
	}
}

// origin writes where the goroutine of a call was started.
func (r *race) origin(b *buffer, a *commrace.Action) {
	b.text("Goroutine ")
	b.uint(a.Goid)
	s := stackOf(a.Origin)
	if a.Creator == datarace.ByTimer {
		b.text(" was created by a timer (time.AfterFunc)\n\n")
		return
	}
	if s == nil {
		b.text(" is the main goroutine\n\n")
		return
	}
	if a.Creator != 0 {
		b.text(" created by goroutine ")
		b.uint(a.Creator)
		b.text(" at:\n")
	} else {
		b.text(" created at:\n")
	}
	trace(b, s, "", s.elided)
	b.text("\n")
}

// isObject reports whether what is specified is no type but the variable that is declared as name.
func isObject(specified, name string) bool {
	n := len(specified) - len(name)
	return n > 0 && specified[n:] == name && specified[n-1] == '.'
}

// object writes what the calls met on.
func (r *race) object(b *buffer, f *finding) {
	b.texts("Object: ", r.table.Type)
	if f.decl.name != "" {
		if !isObject(r.table.Type, f.decl.name) {
			b.texts(" ", f.decl.name)
		}
		b.texts(", declared at ", stripped(f.decl.pos), ",")
	}
	b.text(" at ")
	b.hex(uint64(r.addr))
	if k := b.at(r.addr); k.heap {
		b.text(", in a heap block of ")
		b.uint(uint64(k.size))
		b.text(" bytes at ")
		b.hex(uint64(k.start))
	} else {
		b.text(", in a global variable")
	}
	b.text("\n")
}

// explain says in one line what an effect means for these calls.
func (r *race) explain(b *buffer, effect string) {
	first, second := r.methods()
	parts := term.Why(effect, first, second, r.onlyResults())
	b.texts(parts[:]...)
}
