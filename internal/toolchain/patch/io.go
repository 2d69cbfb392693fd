// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"go/parser"
	"io/fs"
	"path"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/target"
)

// Package syscall announces all reads and writes of a process at one address, so that each write
// comes before each later read. The changes here announce them by descriptor, and tell the engine
// which descriptors are ends of what. The engine's package descriptor has the rest.

// OrdersIO reports whether the changes are made for a platform. On others all I/O has one address.
func OrdersIO(p target.Platform) bool {
	switch p.GOOS {
	case "linux", "android", "darwin", "ios", "dragonfly", "freebsd", "netbsd", "openbsd":
		return true
	}
	return false
}

// A place says where in a function text is inserted: at its beginning, before its last statement,
// or before the first statement that calls a function of a name.
type place string

const (
	first place = "\x00first"
	last  place = "\x00last"
)

// An insertion is text for a function of a file.
type insertion struct {
	file, recv, name string
	at               place
	text             string
}

// Syscall changes package syscall. fsys has the files that are added.
func (p *Package) Syscall(fsys fs.FS, platform target.Platform) error {
	if err := p.ioSync(); err != nil {
		return err
	}
	insertions := []insertion{
		{"syscall_unix.go", "", "Recvfrom", first, "defer func() { commuteReceived($0, err) }()"},
		{"syscall_unix.go", "", "Recvmsg", first, "defer func() { commuteReceived($0, err) }()"},
		{"syscall_unix.go", "", "Sendto", first, "commuteSending($0, nil)"},
		{"syscall_unix.go", "", "SendmsgN", first, "commuteSending($0, $2)"},
		{"syscall_unix.go", "", "Connect", first, "commuteConnecting($0, $1)"},
		{"syscall_unix.go", "", "Socketpair", last, "commutePaired(fd, err)"},
		{"exec_unix.go", "", "forkExec", first, "commuteForking($2)"},
	}
	if platform.GOOS == "linux" || platform.GOOS == "android" {
		insertions = append(insertions,
			insertion{"syscall_linux.go", "", "Pipe2", last, "commutePiped($0, err)"},
			insertion{"syscall_linux.go", "", "Accept4", last, "commuteAccepted(nfd, sa, err)"})
	}
	if err := p.insertAll(insertions); err != nil {
		return err
	}
	return p.addTemplates(fsys, "syscall", platform)
}

// ioSync replaces what is announced at the address of all I/O.
func (p *Package) ioSync() error {
	f, err := p.parse("syscall_unix.go")
	if err != nil {
		return err
	}
	for _, c := range []struct{ name, announces, text string }{
		{"Read", "Acquire", "CommuteRead($0)"},
		{"Pread", "Acquire", "CommuteRead($0)"},
		{"Write", "ReleaseMerge", "CommuteWrite($0)"},
		{"Pwrite", "ReleaseMerge", "CommuteWrite($0)"},
		{"Sendfile", "ReleaseMerge", "CommuteRead($1); CommuteWrite($0)"},
	} {
		fn, err := f.method("", c.name)
		if err != nil {
			return err
		}
		found := firstCall(fn.Body, c.announces)
		if found == nil || !mentions(found, "ioSync") {
			return p.unexpected(c.name + " does not call race." + c.announces + " for ioSync")
		}
		f.replace(found.Pos(), found.End(), withParams(c.text, fn))
	}
	return nil
}

// pollFile is added to internal/poll.
const pollFile = `package poll

import "unsafe"

//go:linkname commute_ioOpen runtime.commute_ioOpen
func commute_ioOpen(fd int)

//go:linkname commute_ioClose runtime.commute_ioClose
func commute_ioClose(fd int)

//go:linkname commute_ignoreEvents runtime.commute_ignoreEvents
func commute_ignoreEvents(by int8)

//go:linkname commute_releaseAt runtime.commute_releaseAt
//go:noescape
func commute_releaseAt(addr unsafe.Pointer)

//go:linkname commute_acquireAt runtime.commute_acquireAt
//go:noescape
func commute_acquireAt(addr unsafe.Pointer)

func (pd *pollDesc) commuteClosing() { commute_releaseAt(unsafe.Pointer(pd)) }

// commuteStopped comes where an operation stops because the descriptor was closed, or is too late.
func (pd *pollDesc) commuteStopped(res int) {
	if res != pollNoError {
		commute_acquireAt(unsafe.Pointer(pd))
	}
}
`

// Poll changes internal/poll, which opens and closes most descriptors. It also has system calls of
// its own. With hide set, the lock of a descriptor orders nothing: that two goroutines write to the
// same file is no order of what they do besides. Who finds a descriptor closed comes after Close.
func (p *Package) Poll(platform target.Platform, hide bool) error {
	insertions := []insertion{
		{"fd_unix.go", "FD", "Init", first, "commute_ioOpen($r.Sysfd)"},
		{"fd_unix.go", "FD", "destroy", first, "commute_ioClose($r.Sysfd)"},
		{"fd_unix.go", "FD", "Close", "evict", "syscall.CommuteClosing($r.Sysfd)"},
		{"fd_posix.go", "FD", "Shutdown", last, "syscall.CommuteClosing($r.Sysfd)"},
		{"writev.go", "FD", "Writev", "writev", "syscall.CommuteWrite($r.Sysfd)"},
	}
	switch platform.GOOS {
	case "linux", "android":
		insertions = append(insertions, insertion{"splice_linux.go", "", "splice", first,
			"syscall.CommuteWrite($0); defer syscall.CommuteRead($1)"})
		fallthrough
	case "freebsd":
		insertions = append(insertions, insertion{"copy_file_range_unix.go", "", "copyFileRange",
			last, "syscall.CommuteRead($1.Sysfd); syscall.CommuteWrite($0.Sysfd)"})
	}
	if hide {
		insertions = append(insertions, hiddenLock...)
	}
	if err := p.insertAll(insertions); err != nil {
		return err
	}
	if f, err := p.parse("copy_file_range_unix.go"); err == nil {
		f.importPackage("syscall")
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_poll.go",
		Data: edit.WithLine("commute/patch/poll.go", []byte(pollFile)),
	})
	return nil
}

// hiddenLock hides the lock of a descriptor. Close announces itself before the lock says so.
var hiddenLock = func() []insertion {
	list := []insertion{
		{"fd_unix.go", "FD", "Close", first, "$r.pd.commuteClosing()"},
		{"fd_unix.go", "FD", "Close", "errClosing", "$r.pd.commuteStopped(pollErrClosing)"},
		{"fd_poll_runtime.go", "pollDesc", "prepare", last, "$r.commuteStopped(res)"},
		{"fd_poll_runtime.go", "pollDesc", "wait", last, "$r.commuteStopped(res)"},
	}
	for _, name := range []string{"incref", "increfAndClose", "decref", "rwlock", "rwunlock"} {
		list = append(list, insertion{"fd_mutex.go", "fdMutex", name, first,
			"commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"})
	}
	for _, name := range []string{"incref", "readLock", "writeLock", "readWriteLock"} {
		list = append(list, insertion{"fd_mutex.go", "FD", name, "errClosing",
			"$r.pd.commuteStopped(pollErrClosing)"})
	}
	return list
}()

// insertAll makes insertions.
func (p *Package) insertAll(list []insertion) error {
	for _, i := range list {
		f, err := p.parse(i.file)
		if err != nil {
			return err
		}
		fn, err := f.method(i.recv, i.name)
		if err != nil {
			return err
		}
		text := withParams(i.text, fn) + "; "
		switch i.at {
		case first:
			f.insert(fn.Body.Lbrace+1, " "+text)
		case last:
			f.insert(fn.Body.List[len(fn.Body.List)-1].Pos(), text)
		default:
			stmt := calling(fn.Body, string(i.at))
			if stmt == nil {
				return p.unexpected(i.name + " does not call " + string(i.at))
			}
			f.insert(stmt.Pos(), text)
		}
	}
	return nil
}

// withParams replaces $0, $1 and so on in text by the names of a function's parameters, and $r by
// that of its receiver.
func withParams(text string, fn *ast.FuncDecl) string {
	var pairs []string
	n := 0
	for _, field := range fn.Type.Params.List {
		for _, id := range field.Names {
			pairs = append(pairs, "$"+string(rune('0'+n)), id.Name)
			n++
		}
	}
	if fn.Recv != nil {
		pairs = append(pairs, "$r", fn.Recv.List[0].Names[0].Name)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// called is the last part of the name of the function that is called.
func called(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// firstCall returns the first call of the function name in a node, nil if there is none.
func firstCall(n ast.Node, name string) (found *ast.CallExpr) {
	ast.Inspect(n, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && found == nil && called(call) == name {
			found = call
		}
		return found == nil
	})
	return found
}

// calling returns the innermost statement in a block of body that calls the function name first,
// nil if none does.
func calling(body *ast.BlockStmt, name string) (found ast.Stmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		block, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		for _, stmt := range block.List {
			switch stmt.(type) {
			case *ast.ExprStmt, *ast.AssignStmt, *ast.ReturnStmt:
				if found == nil && firstCall(stmt, name) != nil {
					found = stmt
				}
			}
		}
		return true
	})
	return found
}

// addTemplates adds the files of a folder of fsys that belong to a platform.
func (p *Package) addTemplates(fsys fs.FS, dir string, platform target.Platform) error {
	names, err := fs.Glob(fsys, path.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		ok, err := platform.Match(path.Base(name), data, Tag)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if _, err := parser.ParseFile(p.Source.Fset, name, data, parser.ImportsOnly); err != nil {
			return err
		}
		p.Added = append(p.Added, edit.Added{
			Name: TemplatePrefix + strings.TrimSuffix(path.Base(name), ".go") + "_.go",
			Data: edit.WithLine(path.Join("commute/patch", name), data),
		})
	}
	return nil
}
