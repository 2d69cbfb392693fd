// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// Reflect leaves the accesses to memory of one function unannounced. It runs where the stack must
// not grow, on top of large frames, and too little stack is left for hooks. The memory that it
// accesses belongs to its goroutine alone. The directive takes the place of an empty comment line,
// so that no line moves.
func (p *Package) Reflect() error {
	f, err := p.parse("makefunc.go")
	if err != nil {
		return err
	}
	const name = "moveMakeFuncArgPtrs"
	fn, err := f.method("", name)
	if err != nil {
		return err
	}
	if fn.Doc == nil || len(fn.Doc.List) < 2 {
		return p.unexpected(name + " is not marked as //go:nosplit")
	}
	doc := fn.Doc.List[len(fn.Doc.List)-2:]
	if doc[0].Text != "//" || doc[1].Text != "//go:nosplit" {
		return p.unexpected(name + " is not marked as //go:nosplit, after an empty line")
	}
	f.insert(doc[0].End(), "go:norace")
	return nil
}
