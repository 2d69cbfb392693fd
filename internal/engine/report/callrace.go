// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package report

import (
	"github.com/commutego/commute/internal/engine/advice"
	"github.com/commutego/commute/internal/engine/commrace"
	"github.com/commutego/commute/internal/engine/stack"
	"github.com/commutego/commute/internal/engine/term"
	"github.com/commutego/commute/internal/engine/text"
)

// Ruler is the line before and after a report.
const Ruler = "==================\n"

// Print writes the report of a new finding, in the shape of the race detector's.
func (r *Race) Print(b *text.Buffer, f *Finding, prefix string) {
	if r.Violation != commrace.NoViolation {
		r.printCheckAct(b, f, prefix)
		return
	}
	first, second := stack.StackOf(r.First.Stack).Top(prefix),
		stack.StackOf(r.Second.Stack).Top(prefix)
	b.Texts(Ruler, "WARNING: COMMUTATIVITY RACE\n")
	r.printCallers(b, f)
	printGoroutines(b, r.First.Goid, r.Second.Goid)
	r.printStep(b, r.First, first, true)
	b.Text("  ")
	pad(b, b.N)
	r.printStep(b, r.Second, second, true)
	b.Text("\n")
	var x advice.Excerpt
	x.AddFrame(first)
	x.AddFrame(second)
	x.Print(b)
	b.Texts("What can go wrong: ", f.Effect, ": ")
	r.explainEffect(b, f.Effect)
	b.Text("\nEvidence: race: nothing in the program forces the order of the two calls\n")
	printMend(b, r, f)
	printSilence(b, first, second, stack.Stripped(f.Decl.Pos))
	printPage(b, f.Effect)
	r.printObject(b, f)
	r.printKey(b)
	b.Text("\n")
	r.printSide(b, r.Second, "", prefix)
	r.printSide(b, r.First, "Previous ", prefix)
	r.printOrigins(b)
	b.Text("They commute only if: ")
	r.printFormula(b, r.First.Method, r.Second.Method)
	b.Text(Ruler)
}

// printCallers says which goroutines call what.
func (r *Race) printCallers(b *text.Buffer, f *Finding) {
	if r.First.Method == r.Second.Method {
		b.Text("goroutine ")
		b.Uint(r.First.Goid)
		b.Text(" and goroutine ")
		b.Uint(r.Second.Goid)
		b.Texts(" both call ", r.methodName(r.First))
	} else {
		b.Text("goroutine ")
		b.Uint(r.First.Goid)
		b.Texts(" calls ", r.methodName(r.First), " and goroutine ")
		b.Uint(r.Second.Goid)
		b.Texts(" calls ", r.methodName(r.Second))
	}
	b.Texts(" of ", text.Pick(f.Decl.Name != "", f.Decl.Name, r.Table.Type))
	if key := r.key(); key != nil {
		b.Text(text.Pick(f.Decl.Name != "", "[", " with key "))
		text.Value(b, key)
		b.Text(text.Pick(f.Decl.Name != "", "]", ""))
	}
	b.Text(", and nothing orders the two calls\n\n")
}

// key is the key that both calls are on, nil if there is none.
func (r *Race) key() *commrace.Arg {
	if r.Keyed {
		if args, k := r.Second.Args(), r.Table.Methods[r.Second.Method].Key(); k < len(args) {
			return &args[k]
		}
	}
	return nil
}

// printOrigins writes where the goroutines of the calls were started.
func (r *Race) printOrigins(b *text.Buffer) {
	r.printOrigin(b, r.Second)
	if r.First.Goid != r.Second.Goid {
		r.printOrigin(b, r.First)
	}
}

// printKey writes the key that both calls are on.
func (r *Race) printKey(b *text.Buffer) {
	if key := r.key(); key != nil {
		b.Text("Key: ")
		text.Value(b, key)
		b.Text("\n")
	}
}

// printFormula writes when calls of two methods commute.
func (r *Race) printFormula(b *text.Buffer, i, j uint32) {
	fm := r.Table.Formula(i, j)
	b.Text(fm.Text)
	if fm.OnlyResults() {
		b.Text(", or if their results are not used")
	}
	b.Texts("   (", r.Table.Methods[min(i, j)].Name, ", ", r.Table.Methods[max(i, j)].Name, ": ",
		fm.Pos, ")\n")
}

// printSide writes one of the two calls, with its stack.
func (r *Race) printSide(b *text.Buffer, a *commrace.Action, word, prefix string) {
	b.Text(word)
	r.PrintCall(b, a)
	b.Text(" by goroutine ")
	b.Uint(a.Goid)
	b.Text(":\n")
	PrintStack(b, stack.StackOf(a.Stack), prefix, int(a.Elided))
	b.Text("\n")
}

// PrintCall writes a call as the program makes it, with what it returned.
func (r *Race) PrintCall(b *text.Buffer, a *commrace.Action) {
	m := &r.Table.Methods[a.Method]
	b.Texts(m.Name, "(")
	args := a.Args()
	n := 0
	n = printNamed(b, m.Params, args, &n, 1<<30)
	b.Text(")")
	if n >= len(args) {
		return
	}
	if m.Visible > 0 {
		b.Text(" = (")
		first := n
		n = printNamed(b, m.Results, args, &first, m.Visible)
		b.Text(")")
	}
	if n < len(args) {
		b.Text(" [")
		skip := m.Results
		for range m.Visible {
			_, skip = text.Cut(skip, ',')
		}
		printNamed(b, skip, args, &n, 1<<30)
		b.Text("]")
	}
}

// printBare writes a call without the names of its parameters, and what it returned if that is
// asked for.
func (r *Race) printBare(b *text.Buffer, a *commrace.Action, results bool) {
	m, args := &r.Table.Methods[a.Method], a.Args()
	n := min(m.NParams(), len(args))
	b.Texts(m.Name, "(")
	printValues(b, args[:n])
	b.Text(")")
	if shown := min(m.Visible, len(args)-n); results && shown > 0 {
		b.Text(" = ")
		printValues(b, args[n:n+shown])
	}
}

// printValues writes values with commas between them.
func printValues(b *text.Buffer, values []commrace.Arg) {
	for i := range values {
		if i > 0 {
			b.Text(", ")
		}
		text.Value(b, &values[i])
	}
}

// printNamed writes at most limit of the values from args[*from] on, with their names.
func printNamed(b *text.Buffer, names string, args []commrace.Arg, from *int, limit int) int {
	i := *from
	for k := 0; names != "" && i < len(args) && k < limit; k++ {
		var name string
		name, names = text.Cut(names, ',')
		if k > 0 {
			b.Text(", ")
		}
		b.Texts(name, ": ")
		text.Value(b, &args[i])
		i++
	}
	return i
}

// PrintStack writes a stack as the race detector does; elided more frames are not kept.
func PrintStack(b *text.Buffer, s *stack.Stack, prefix string, elided int) {
	l := stack.FrameList{Stack: s, Prefix: prefix}
	if l.Write(b, elided, false) == 0 {
		b.Text("  [no stack]\n")
	}
}

// printOrigin writes where the goroutine of a call was started.
func (r *Race) printOrigin(b *text.Buffer, a *commrace.Action) {
	b.Text("Goroutine ")
	b.Uint(a.Goid)
	printStart(b, a.Creator, stack.StackOf(a.Origin))
}

// IsObject reports whether the specified thing is no type, but the variable that is declared as
// name.
func IsObject(specified, name string) bool {
	n := len(specified) - len(name)
	return n > 0 && specified[n:] == name && specified[n-1] == '.'
}

// printObject writes the object of the two calls.
func (r *Race) printObject(b *text.Buffer, f *Finding) {
	b.Texts("Object: ", r.Table.Type)
	if f.Decl.Name != "" {
		if !IsObject(r.Table.Type, f.Decl.Name) {
			b.Texts(" ", f.Decl.Name)
		}
		b.Texts(", declared at ", stack.Stripped(f.Decl.Pos), ",")
	}
	b.Text(" at ")
	b.Hex(uint64(r.Addr))
	if k := b.At(r.Addr); k.Heap {
		b.Text(", in a heap block of ")
		b.Uint(uint64(k.Size))
		b.Text(" bytes at ")
		b.Hex(uint64(k.Start))
	} else {
		b.Text(", in a global variable")
	}
	b.Text("\n")
}

// explainEffect says in one line what an effect means for these calls.
func (r *Race) explainEffect(b *text.Buffer, effect string) {
	first, second := r.methods()
	parts := term.Why(effect, first, second, r.onlyResults())
	b.Texts(parts[:]...)
}
