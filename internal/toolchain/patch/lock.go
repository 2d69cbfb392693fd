// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"go/ast"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Mutex announces each operation on a sync.Mutex as that of a lock and, where accesses to memory
// are watched, as an access to it.
func (p *Package) Mutex(memory bool) error {
	f, err := p.parse("mutex.go")
	if err != nil {
		return err
	}
	file := mutexFile
	if !memory {
		file = plainMutexFile
	}
	for _, name := range []string{"Lock", "TryLock", "Unlock"} {
		if !memory {
			break
		}
		fn, err := f.method("Mutex", name)
		if err != nil {
			return err
		}
		f.insert(fn.Body.Lbrace+1,
			" commute_lock(unsafe.Pointer("+fn.Recv.List[0].Names[0].Name+")); ")
	}
	for _, m := range []lockMethod{
		{"Lock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, 0)"},
		{"lockSlow", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, 8)"},
		{"TryLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, 2)"},
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
		Data: edit.WithLine("commute/patch/mutex.go", []byte(file+lockFile)),
	})
	return nil
}

const mutexFile = `package sync

import "unsafe"

//go:linkname commute_lock runtime.commute_lock
//go:noescape
func commute_lock(addr unsafe.Pointer)
`

// plainMutexFile has what an RWMutex does with its mutex in place of Lock and Unlock, where nobody
// else has it or waits for it: see fewCalls.
const plainMutexFile = `package sync

import (
	"sync/atomic"
	"unsafe"
)

func (m *Mutex) CommuteTake() bool { return atomic.CompareAndSwapInt32(&m.state, 0, mutexLocked) }
func (m *Mutex) CommuteLet() bool  { return atomic.CompareAndSwapInt32(&m.state, mutexLocked, 0) }
`

// lockFile declares the hooks of locks. A mode is one of package deadlock in the engine: 1 is to
// read, 2 to try, 4 is of a lock that can be held for reading, and 8 of a function inside of Lock.
const lockFile = `
//go:linkname commute_locked runtime.commute_locked
//go:noescape
func commute_locked(lock, sync, also unsafe.Pointer, mode uint8)

//go:linkname commute_unlocking runtime.commute_unlocking
//go:noescape
func commute_unlocking(lock, sync unsafe.Pointer, read bool)

` + failureFile

// failureFile declares the hook of attempts that fail.
const failureFile = `
//go:linkname commute_failedAttempt runtime.commute_failedAttempt
func commute_failedAttempt()
`

// RWMutex announces each operation on a sync.RWMutex as that of a lock. Memory says whether
// accesses to memory are watched.
func (p *Package) RWMutex(memory bool) error {
	f, err := p.parse("rwmutex.go")
	if err != nil {
		return err
	}
	for _, m := range []lockMethod{
		{"RLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, 5)"},
		{"TryRLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, nil, 7)"},
		{"Lock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, %s, 4)"},
		{"TryLock", "Acquire", "commute_locked(unsafe.Pointer(%s), %s, %s, 6)"},
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
	if !p.Explores && !p.Perturbs {
		if err := f.plainCounts(); err != nil {
			return err
		}
		if !memory {
			if err := f.fewCalls(); err != nil {
				return err
			}
		}
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_rwmutex.go",
		Data: edit.WithLine("commute/patch/rwmutex.go",
			[]byte("package sync\n\nimport \"unsafe\"\n"+lockFile)),
	})
	return nil
}

// plainCounts takes the hooks off the numbers of readers of an RWMutex. Its methods hide what they
// do to these, as the hook of the lock says what it orders. Where schedules are explored, each
// operation on them is a point.
func (f *parsed) plainCounts() error {
	n := 0
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if sel, ok := node.(*ast.SelectorExpr); ok && mentions(sel.X, "atomic") {
			if sel.Sel.Name == "Int32" {
				n++
			}
			f.insert(sel.Sel.Pos(), "CommutePlain")
		}
		return true
	})
	if n != 2 {
		return f.pkg.unexpected("an RWMutex has no longer two numbers of type atomic.Int32")
	}
	return nil
}

// fewCalls spares an RWMutex the calls that hide what it does. Of that only its mutex would be
// announced, and mostly nobody waits for the mutex.
func (f *parsed) fewCalls() error {
	for _, name := range []string{"RLock", "RUnlock", "rUnlockSlow", "Lock", "Unlock"} {
		fn, err := f.method("RWMutex", name)
		if err != nil {
			return err
		}
		n := 0
		ast.Inspect(fn.Body, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			switch {
			case !ok:
			case mentions(sel.X, "race") && (sel.Sel.Name == "Disable" || sel.Sel.Name == "Enable"):
				f.replace(call.Pos(), call.End(), "_ = 0")
			case sel.Sel.Name == name && len(call.Args) == 0: // of the mutex
				mutex := string(f.data[f.offset(sel.X.Pos()):f.offset(sel.X.End())])
				do := map[string]string{"Lock": "CommuteTake", "Unlock": "CommuteLet"}[name]
				f.replace(call.Pos(), call.End(), fmt.Sprintf(
					"if !%[1]s.mu.%[2]s() { race.Disable(); %[1]s.%[3]s(); race.Enable() }",
					mutex, do, name))
				n++
			}
			return true
		})
		if want := map[string]int{"Lock": 1, "Unlock": 1}[name]; n != want {
			return f.pkg.unexpected("(*RWMutex)." + name + " does not call " + name +
				" of one mutex")
		}
	}
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
