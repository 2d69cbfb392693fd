// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

// Reflect leaves a function's accesses to memory unannounced: it runs where the stack must not
// grow, on top of large frames, and there is too little left for hooks. What it accesses is its
// goroutine's own. A comment's line is used, so that no line moves.
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
