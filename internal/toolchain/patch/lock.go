// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Mutex announces each operation on a sync.Mutex: as an access to it, and as the operation of a
// lock.
func (p *Package) Mutex() error {
	f, err := p.parse("mutex.go")
	if err != nil {
		return err
	}
	for _, name := range []string{"Lock", "TryLock", "Unlock"} {
		fn, err := f.method("Mutex", name)
		if err != nil {
			return err
		}
		f.insert(fn.Body.Lbrace+1,
			" commute_lock(unsafe.Pointer("+fn.Recv.List[0].Names[0].Name+")); ")
	}
	for _, m := range []lockMethod{
		{"Lock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, false)"},
		{"lockSlow", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, false)"},
		{"TryLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, false)"},
		{"Unlock", "Release", "commute_unlocking(unsafe.Pointer(%s), %s, false)"},
	} {
		if err := f.announce("Mutex", m); err != nil {
			return err
		}
	}
	if err := f.failures("Mutex", "TryLock"); err != nil {
		return err
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_mutex.go",
		Data: edit.WithLine("commute/patch/mutex.go", []byte(mutexFile+lockFile)),
	})
	return nil
}

const mutexFile = `package sync

import "unsafe"

//go:linkname commute_lock runtime.commute_lock
//go:noescape
func commute_lock(addr unsafe.Pointer)
`

// lockFile declares the hooks of locks, where accesses to memory are watched.
const lockFile = `
//go:linkname commute_locked runtime.commute_locked
//go:noescape
func commute_locked(lock, sync, also unsafe.Pointer, read bool)

//go:linkname commute_unlocking runtime.commute_unlocking
//go:noescape
func commute_unlocking(lock, sync unsafe.Pointer, read bool)

` + failureFile

// failureFile declares the hook of attempts that fail.
const failureFile = `
//go:linkname commute_failedAttempt runtime.commute_failedAttempt
func commute_failedAttempt()
`

// Failures announces, where accesses to memory are not watched, what TryLock and TryRLock find
// taken: in package internal/sync a Mutex, in package sync a RWMutex.
func (p *Package) Failures() error {
	file, recv, names := "rwmutex.go", "RWMutex", []string{"TryLock", "TryRLock"}
	if p.Path == "internal/sync" {
		file, recv, names = "mutex.go", "Mutex", names[:1]
	}
	f, err := p.parse(file)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := f.failures(recv, name); err != nil {
			return err
		}
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_failures.go",
		Data: edit.WithLine("commute/patch/failures.go",
			[]byte("package sync\n\nimport _ \"unsafe\"\n"+failureFile)),
	})
	return nil
}

// RWMutex announces each operation on a sync.RWMutex as that of a lock, where accesses to memory
// are watched.
func (p *Package) RWMutex() error {
	f, err := p.parse("rwmutex.go")
	if err != nil {
		return err
	}
	for _, m := range []lockMethod{
		{"RLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, true)"},
		{"TryRLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, true)"},
		{"Lock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, %s, false)"},
		{"TryLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, %s, false)"},
		{"RUnlock", "ReleaseMerge", "commute_unlocking(unsafe.Pointer(%s), %s, true)"},
		{"Unlock", "Release", "commute_unlocking(unsafe.Pointer(%s), %s, false)"},
	} {
		if err := f.announce("RWMutex", m); err != nil {
			return err
		}
	}
	for _, name := range []string{"TryLock", "TryRLock"} {
		if err := f.failures("RWMutex", name); err != nil {
			return err
		}
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_rwmutex.go",
		Data: edit.WithLine("commute/patch/rwmutex.go",
			[]byte("package sync\n\nimport \"unsafe\"\n"+lockFile)),
	})
	return nil
}

// A lockMethod is a method of a lock, and the function of internal/race that it announces with.
// Instead of the calls of that there is one: a format for the lock and for their arguments.
type lockMethod struct{ name, announces, instead string }

// announce replaces the announcements of a method. If it makes two, the second one stands for both:
// the hook of a lock has both addresses.
func (f *parsed) announce(recv string, m lockMethod) error {
	fn, err := f.method(recv, m.name)
	if err != nil {
		return err
	}
	var calls []*ast.CallExpr
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == m.announces &&
				mentions(sel.X, "race") {
				calls = append(calls, call)
			}
		}
		return true
	})
	if len(calls) != strings.Count(m.instead, "%s")-1 {
		return f.pkg.unexpected("(*" + recv + ")." + m.name + " does not call race." + m.announces +
			" as often as it did")
	}
	args := []any{fn.Recv.List[0].Names[0].Name}
	for i, call := range calls {
		args = append(args,
			string(f.data[f.offset(call.Args[0].Pos()):f.offset(call.Args[0].End())]))
		text := "_ = 0"
		if i == len(calls)-1 {
			text = fmt.Sprintf(m.instead, args...)
		}
		f.replace(call.Pos(), call.End(), text)
	}
	return nil
}

// failures announces each return of false by a method: TryLock has found the lock taken.
func (f *parsed) failures(recv, name string) error {
	fn, err := f.method(recv, name)
	if err != nil {
		return err
	}
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) == 1 &&
			mentions(ret.Results[0], "false") {
			f.insert(ret.Pos(), "commute_failedAttempt(); ")
			found = true
		}
		return true
	})
	if !found {
		return f.pkg.unexpected("(*" + recv + ")." + name + " does not return false")
	}
	return nil
}
