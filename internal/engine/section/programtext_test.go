// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"fmt"
	"strings"

	"github.com/commutego/commute/internal/engine/compiled"
)

func (p *program) String() string {
	var b strings.Builder
	for i, f := range p.functions {
		fmt.Fprintf(&b, "func f%d(key, token):\n", i)
		for _, s := range f.steps {
			fmt.Fprintf(&b, "  %v %s %d\n", s.free, [...]string{"section", "send", "receive",
				"lock outer", "unlock outer"}[s.kind], s.on)
			for _, o := range s.ops {
				fmt.Fprintf(&b, "    %v\n", o)
			}
		}
		for j, pr := range f.pairs {
			fmt.Fprintf(&b, "  pair: %v; %v (%+v)\n", pr.check, pr.act, f.code.Pairs[j].Shape)
		}
	}
	for i, c := range p.calls {
		fmt.Fprintf(&b, "goroutine %d:", i+1)
		for _, c := range c {
			for j, f := range p.functions {
				if f == c.fn {
					fmt.Fprintf(&b, " f%d(%d, %d)", j, c.key, c.token)
				}
			}
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func (o *op) String() string {
	at := fmt.Sprintf("v%d", o.v)
	if o.unannounced {
		at += " (not announced)"
	}
	if o.onBlock() {
		at = fmt.Sprintf("b%d[%d]", o.v, o.element)
	}
	if o.onMap() {
		at = fmt.Sprintf("m%d[%s]", o.v, map[bool]string{false: "key", true: "1-key"}[o.otherKey])
	}
	from := fmt.Sprintf("r%d+1", o.from)
	switch o.from {
	case fromToken:
		from = "token"
	case fromConst:
		from = "1"
	}
	s := ""
	if o.ifs != nil {
		is := map[bool]string{true: "==", false: "!="}[o.ifs.equal]
		s = fmt.Sprintf("if r%d %s %d: ", o.ifs.reg, is, o.ifs.with)
	}
	switch {
	case o.exits:
		return s + "exit"
	case o.isReturn:
		return s + "return"
	case o.kind == compiled.Len:
		return fmt.Sprintf("r%d = len(m%d)", o.reg, o.v)
	case o.isRead():
		return fmt.Sprintf("r%d = %s", o.reg, at)
	case o.kind == compiled.Delete:
		return s + "delete " + at
	case o.kind == compiled.UpdateVar:
		return s + at + "++"
	}
	return s + at + " = " + from
}
