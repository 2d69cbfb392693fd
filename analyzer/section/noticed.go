// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package section

import (
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A flag is set, and what comes between its check and that does little harm if it is done twice: a
// lock guards it, or it writes to a log, or counts. Such a pair is for the level that shows all.

// mattersFirst lists the pairs of a function, those last whose act does little harm.
func (f *function) mattersFirst() (list []*pair) {
	for _, small := range [...]bool{false, true} {
		for _, p := range f.pairs() {
			if p.small == small {
				list = append(list, p)
			}
		}
	}
	return list
}

// somethingDone reports whether anything happens between check and act that others may notice, if
// only under a lock, in a log or in a count.
func (p *pair) somethingDone() bool {
	happens := p.act.from != nil && p.f.noticed(p.act.at, p.act.from.at, 0)
	p.f.Each(func(instr ssa.Instruction) {
		happens = happens || instr != p.check.at && instr != p.act.at &&
			p.f.noticed(instr, nil, 0) && p.between(instr)
	})
	return happens
}

// noticed reports whether an instruction other than but does something that others may notice.
func (f *function) noticed(instr, but ssa.Instruction, depth int) bool {
	if instr == but || counts(instr) || len(f.lockFlow().ops[instr]) > 0 {
		return false
	}
	return f.acts(instr, depth, effectRule{
		of: func(callee *function, in ssa.Instruction) bool {
			return callee.noticed(in, but, depth+1)
		},
		named: func(name string) bool { return !observesByName(name) },
		other: otherNoticed,
	})
}

// otherNoticed is noticed for a function of another package, of which only the name is known.
func otherNoticed(fn *ssa.Function) bool {
	if op, _ := atomicFunction(fn); op != "" {
		return op != "Load"
	}
	switch pkg := packageOf(fn); {
	case pkg == nil:
		return false
	case pkg.Path() == "fmt":
		return strings.HasPrefix(fn.Name(), "Print") || strings.HasPrefix(fn.Name(), "Fprint")
	case pkg.Path() == "log", pkg.Path() == "log/slog":
		return true
	case quietPackages[pkg.Path()], pkg.Path() == "time":
		return false
	}
	return !observesByName(fn.Name())
}
