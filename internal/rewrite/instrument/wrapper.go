// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"

	"github.com/commutego/commute/ecl"
)

// A wrapper is the state of one method while its wrapper is written.
type wrapper struct {
	g       *generator
	table   *ecl.Table
	m       *ecl.TableMethod
	decl    decl
	recv    string
	params  []value
	results []value // the real ones, then the shadow results
	real    int
}

// A value is a parameter or result under its name in the wrapper.
type value struct {
	name string
	typ  ast.Expr // nil for shadow results
}

// method writes the wrapper of one method.
func (g *generator) method(b *bytes.Buffer, t *ecl.Table, m *ecl.TableMethod, d decl,
	decls map[string]decl) error {
	w := &wrapper{g: g, table: t, m: m, decl: d}
	if _, pointer := Receiver(d.fn); !pointer && !t.Spec.Object && t.Spec.Shared == "" {
		return fmt.Errorf("a value receiver has no identity, only methods with pointer receivers " +
			"can be specified")
	}
	if d.fn.Body == nil {
		return fmt.Errorf("it has no body")
	}
	if err := w.names(); err != nil {
		return err
	}
	doc(b, d.fn.Doc)
	sig, err := w.signature()
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "func %s {\n", sig)
	if w.oneCall() {
		return w.observe(b, decls)
	}
	fmt.Fprintf(b, "var commute_c commute_Call\ncommute_c.spec = &commuteSpec_%s\n", t.Spec.Name)
	w.object(b)
	if m.Index > 0 {
		fmt.Fprintf(b, "commute_c.method = %d\n", m.Index)
	}
	// Where commute_hash is used it panics as the method would, and the call has not begun yet.
	early := w.keysAtBegin()
	if early {
		w.keys(b, false)
	}
	b.WriteString("commute_begin(&commute_c)\n")
	noDefer := w.noDefer()
	if !noDefer {
		b.WriteString("defer commute_end(&commute_c)\n")
	}
	if err := w.call(b, decls); err != nil {
		return err
	}
	w.keys(b, early)
	if err := w.argsAndBeta(b, "commute_c.beta"); err != nil {
		return err
	}
	// commute_key may have said that the call counts as one that did not return.
	if len(w.m.Keys) > 0 && g.pkg.NoDefer == nil {
		b.WriteString("if commute_c.state == 0 {\ncommute_c.state = 1\n}\n")
	} else {
		b.WriteString("commute_c.state = 1\n")
	}
	if noDefer {
		b.WriteString("commute_end(&commute_c)\n")
	}
	w.end(b)
	return nil
}

// oneCall reports whether the whole call can be announced when it is over, by commute_observe. An
// observer has no effect that other calls could see before.
func (w *wrapper) oneCall() bool {
	return w.noDefer() && w.m.Role == ecl.Observer && len(w.m.Keys) <= 1 && !w.table.Spec.Open
}

func (w *wrapper) noDefer() bool { return w.g.pkg.NoDefer[w.table.Spec.Name+"."+w.m.Name] }

// keysAtBegin reports whether keys are needed when the call begins. The keys of an observer without
// callbacks are needed at its end only, unless its begin may tell by them that it repeats another
// call.
func (w *wrapper) keysAtBegin() bool {
	return w.m.Role != ecl.Observer || w.m.Callback != "" || w.table.Spec.Open ||
		w.g.pkg.NoDefer == nil
}

// observe writes the body of a method that is announced in one call.
func (w *wrapper) observe(b *bytes.Buffer, decls map[string]decl) error {
	key := "0"
	if len(w.m.Keys) == 1 {
		key = "commute_key"
		if k := w.m.Keys[0]; k < len(w.params) {
			fmt.Fprintf(b, "commute_key := commute_hash(%s)\n", w.params[k].name)
		}
	}
	if err := w.call(b, decls); err != nil {
		return err
	}
	if len(w.m.Keys) == 1 && w.m.Keys[0] >= len(w.params) {
		fmt.Fprintf(b, "commute_key := commute_hash(%s)\n", w.values()[w.m.Keys[0]].name)
	}
	beta := "0"
	if len(w.m.Atoms) > 0 {
		beta = "commute_beta"
		b.WriteString("var commute_beta uint32\n")
	}
	if err := w.argsAndBeta(b, beta); err != nil {
		return err
	}
	args := "nil"
	n := min(len(w.values()), len(w.m.Vars()))
	if n > 0 {
		args = "commute_unsafe.Pointer(&commute_args)"
	}
	fmt.Fprintf(b, "commute_observe(&commuteSpec_%s, commute_unsafe.Pointer(%s), %d, %s, %s, %s, "+
		"%d)\n",
		w.table.Spec.Name, w.recv, w.m.Index, beta, key, args, n)
	w.end(b)
	return nil
}

func (w *wrapper) end(b *bytes.Buffer) {
	if w.real > 0 {
		b.WriteString("return\n")
	}
	b.WriteString("}\n")
}

// keys fills in the hashes of the keys: those of parameters, and, when the call is over, those of
// results. paramsDone says that the former are filled in.
func (w *wrapper) keys(b *bytes.Buffer, paramsDone bool) {
	early := w.keysAtBegin()
	for i, k := range w.m.Keys {
		isParam := k < len(w.params)
		if isParam && paramsDone || !isParam && early && !paramsDone {
			continue
		}
		hash := "commute_hash(%s)" // panics where the method would
		if w.g.pkg.NoDefer == nil {
			hash = "commute_key(%s, &commute_c)"
		}
		fmt.Fprintf(b, "commute_c.keys[%d] = "+hash+"\n", i, w.values()[k].name)
	}
}

// values are the parameters, results and shadow results, in the order of the specification.
func (w *wrapper) values() []value {
	return append(append([]value(nil), w.params...), w.results...)
}

// object writes the object of the call. It is what the receiver points to, or the variable that the
// function is about. For a type with an identity, it's what that field or value refers to.
func (w *wrapper) object(b *bytes.Buffer) {
	s := w.table.Spec
	_, pointer := Receiver(w.decl.fn)
	switch {
	case s.Object:
		fmt.Fprintf(b, "commute_c.obj = commute_unsafe.Pointer(&%s)\n", s.Name)
		return
	case s.Identity == "" && pointer:
		fmt.Fprintf(b, "commute_c.obj = commute_unsafe.Pointer(%s)\n", w.recv)
		return
	}
	shared := w.recv
	if s.Identity != "" {
		shared += "." + s.Identity
	}
	var conds []string
	if pointer {
		conds = append(conds, w.recv+" != nil")
	}
	if s.Shared == "slice" { // empty ones are all alike
		conds = append(conds, "len("+shared+") > 0")
	}
	set := fmt.Sprintf("commute_c.obj = *(*commute_unsafe.Pointer)(commute_unsafe.Pointer(&%s))\n",
		shared)
	if len(conds) > 0 {
		set = fmt.Sprintf("if %s {\n%s}\n", strings.Join(conds, " && "), set)
	}
	b.WriteString(set)
}
