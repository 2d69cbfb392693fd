// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import "go/ast"

// Crashes announces panics that end the program, and what the runtime calls fatal, such as a
// deadlock. The runtime may not be sound then: a throw by itself says so, one for the user's error
// does not.
func (p *Package) Crashes() error {
	f, err := p.parse("panic.go")
	if err != nil {
		return err
	}
	for _, name := range [...]string{"fatalpanic", "fatalthrow"} {
		fn, err := f.method("", name)
		if err != nil {
			return err
		}
		if callStmt(fn.Body, "systemstack") == nil {
			return p.unexpected(name + " does not go on on the system stack")
		}
		sound := "true"
		if name == "fatalthrow" {
			sound = fn.Type.Params.List[0].Names[0].Name + " == throwTypeUser"
		}
		f.insert(fn.Body.Lbrace+1, " commute_fatal("+sound+"); systemstack(commute_crashing); ")
	}
	return nil
}

// Recovers announces that a panic was recovered: functions have ended without a return.
func (p *Package) Recovers() error {
	f, err := p.parse("panic.go")
	if err != nil {
		return err
	}
	recovery, err := f.method("", "recovery")
	if err != nil {
		return err
	}
	if !mentions(recovery.Body, "sp") || recovery.Type.Params.List[0].Names[0].Name != "gp" {
		return p.unexpected("recovery has no gp or no sp")
	}
	last, ok := recovery.Body.List[len(recovery.Body.List)-1].(*ast.ExprStmt)
	if !ok || !mentions(last, "gogo") {
		return p.unexpected("recovery does not end with gogo")
	}
	f.insert(last.Pos(), "commute_recovered(gp, sp); ")
	return nil
}

// Exits has findings written before the program calls syscall.Exit, which is also the last step of
// os.Exit.
func (p *Package) Exits() error {
	f, err := p.parse("runtime.go")
	if err != nil {
		return err
	}
	exit, err := f.method("", "syscall_Exit")
	if err != nil {
		return err
	}
	f.insert(exit.Body.Lbrace+1, " commute_drain(); ")
	return nil
}

// EndBySignal has what was found written before a signal ends the program, if the program doesn't
// handle it. On ports without signals nothing is changed.
func (p *Package) EndBySignal() error {
	if _, err := p.file("signal_unix.go"); err != nil {
		return nil
	}
	f, err := p.parse("signal_unix.go")
	if err != nil {
		return err
	}
	handler, err := f.method("", "sighandler")
	if err != nil {
		return err
	}
	sig := handler.Type.Params.List[0].Names[0].Name
	for _, stmt := range handler.Body.List {
		if s, ok := stmt.(*ast.IfStmt); ok && callStmt(s.Body, "dieFromSignal") != nil {
			f.insert(s.Pos(), "if commute_signalled("+sig+") { return }; ")
			return nil
		}
	}
	return p.unexpected("sighandler does not call dieFromSignal")
}
