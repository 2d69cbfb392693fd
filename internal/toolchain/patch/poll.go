// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/target"
)

// pollFile is added to internal/poll.
const pollFile = `package poll

import (
	"syscall"
	"unsafe"
)

//go:linkname commute_ioOpen runtime.commute_ioOpen
func commute_ioOpen(fd int)

//go:linkname commute_ignoreEvents runtime.commute_ignoreEvents
func commute_ignoreEvents(by int8)

//go:linkname commute_releaseAt runtime.commute_releaseAt
//go:noescape
func commute_releaseAt(addr unsafe.Pointer)

//go:linkname commute_acquireAt runtime.commute_acquireAt
//go:noescape
func commute_acquireAt(addr unsafe.Pointer)

// commuteClosing comes before a descriptor is closed, or a deadline is set.
func (pd *pollDesc) commuteClosing() { commute_releaseAt(unsafe.Pointer(pd)) }

// commuteRawRead and commuteRawWrite announce what a function of the program does with a
// descriptor.
func commuteRawRead(f func(uintptr) bool) func(uintptr) bool {
	return func(fd uintptr) bool {
		done := f(fd)
		if done {
			syscall.CommuteRead(int(fd))
		}
		return done
	}
}

func commuteRawWrite(f func(uintptr) bool) func(uintptr) bool {
	return func(fd uintptr) bool {
		syscall.CommuteWrite(int(fd))
		return f(fd)
	}
}

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
// Its operations are hidden by calls where schedules are explored or perturbed, as each is a point
// there. Elsewhere they have no hooks: see [Unhooked].
func (p *Package) Poll(platform target.Platform, hide bool) error {
	insertions := []insertion{
		{"fd_unix.go", "FD", "Init", first, "commute_ioOpen($r.Sysfd)"},
		{"fd_unix.go", "FD", "Close", "evict", "syscall.CommuteClosing($r.Sysfd)"},
		{"fd_posix.go", "FD", "Shutdown", last, "syscall.CommuteClosing($r.Sysfd)"},
		{"writev.go", "FD", "Writev", "writev", "syscall.CommuteWrite($r.Sysfd)"},
		{"writev.go", "FD", "Writev", last, "syscall.CommuteFailed($r.Sysfd, err)"},
		{"fd_unix.go", "FD", "RawRead", first, "$0 = commuteRawRead($0)"},
		{"fd_unix.go", "FD", "RawWrite", first, "$0 = commuteRawWrite($0)"},
		{"fd_poll_runtime.go", "", "setDeadlineImpl", first, "$0.pd.commuteClosing()"},
		{"fd_poll_runtime.go", "pollDesc", "prepare", last, "$r.commuteStopped(res)"},
		{"fd_poll_runtime.go", "pollDesc", "wait", last, "$r.commuteStopped(res)"},
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
		insertions = append(insertions, descriptorClosed...)
		insertions = append(insertions, hiddenLock(p.Explores || p.Perturbs)...)
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

// Unhooked reports whether the atomic operations of a file of the standard library have no hooks,
// where accesses to memory are not watched, and schedules neither explored nor perturbed. The lock
// of a descriptor is all that the file has.
func Unhooked(pkg, file string) bool { return pkg == "internal/poll" && file == "fd_mutex.go" }

// descriptorClosed has Close announce itself before the lock of the descriptor says so.
var descriptorClosed = func() []insertion {
	list := []insertion{
		{"fd_unix.go", "FD", "Close", first, "$r.pd.commuteClosing()"},
		{"fd_unix.go", "FD", "Close", "errClosing", "$r.pd.commuteStopped(pollErrClosing)"},
	}
	for _, name := range []string{"incref", "readLock", "writeLock", "readWriteLock"} {
		list = append(list, insertion{"fd_mutex.go", "FD", name, "errClosing",
			"$r.pd.commuteStopped(pollErrClosing)"})
	}
	return list
}()

// hiddenLock hides the lock of a descriptor, by calls if its operations have hooks. If not, its
// functions are marked all the same: commute relies on what they are in each release.
func hiddenLock(hooked bool) (list []insertion) {
	text := "/* no hooks: see patch.Unhooked */"
	if hooked {
		text = "commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"
	}
	for _, name := range []string{"incref", "increfAndClose", "decref", "rwlock", "rwunlock"} {
		list = append(list, insertion{"fd_mutex.go", "fdMutex", name, first, text})
	}
	return list
}

// Process changes package os: a process learns from a child's end, and by a signal, of what others
// have done.
func (p *Package) Process() error {
	return p.insertAll([]insertion{
		{"exec.go", "Process", "Wait", first, "defer syscall.CommuteLearn()"},
		{"exec.go", "Process", "Kill", first, "syscall.CommuteTell()"},
		{"exec.go", "Process", "Signal", first, "syscall.CommuteTell()"},
	})
}

// Signals changes package os/signal: what a signal starts comes after what was done before it was
// sent.
func (p *Package) Signals() error {
	f, err := p.parse("signal.go")
	if err != nil {
		return err
	}
	f.importPackage("syscall")
	return p.insertAll([]insertion{{"signal.go", "", "process", first, "syscall.CommuteLearn()"}})
}

// Dial changes package net: who is connected comes after the other end has listened, and who can't
// be, after it has stopped.
func (p *Package) Dial() error {
	return p.insertAll([]insertion{{"fd_unix.go", "netFD", "connect", first,
		"defer syscall.CommuteConnected($2)"}})
}

// UnixPath is a package of many programs that makes the system calls itself. It announces I/O for
// the race detector alone.
const UnixPath = "golang.org/x/sys/unix"

// Unix changes that package. Its versions differ: what one doesn't have stays as it is.
func (p *Package) Unix() error {
	const received = "defer func() { syscall.CommuteReceived($0, err) }()"
	const sending = "syscall.CommuteSending($0, nil)"
	const message = "syscall.CommuteSending($0, $2)"
	const replaces = "defer syscall.CommuteReplacing($1)()"
	const replaced = replaces + "; defer func() { syscall.CommuteGot($1, err) }()"
	const gotTwo = "defer syscall.CommuteGotTwo($0)"
	const got = "defer func() { syscall.CommuteGot($result, err) }()"
	texts := map[string]string{
		"Read": received, "Pread": received, "Readv": received, "Preadv": received,
		"Recvfrom": received, "Recvmsg": received, "RecvmsgBuffers": received,
		"Write": sending, "Pwrite": sending, "Writev": sending, "Pwritev": sending,
		"Sendto": sending, "SendmsgN": message, "SendmsgBuffers": message,
		"Close": "syscall.CommuteClose($0)", "Kill": "syscall.CommuteTell()",
		"Dup2": replaced, "Dup3": replaced,
		"Open": got, "Openat": got, "Socket": got, "Accept": got, "Accept4": got, "Dup": got,
		"EpollCreate1": got, "Eventfd": got, "InotifyInit1": got, "TimerfdCreate": got,
		"MemfdCreate": got, "Openat2": got, "PidfdOpen": got, "Signalfd": got, "Kqueue": got,
		"Pipe": gotTwo, "Pipe2": gotTwo,
		"Socketpair": "defer func() { syscall.CommuteGotTwo(fd[:]) }()",
	}
	const controlled = "defer func() { syscall.CommuteControlled($1, commuteGot, commuteErr) }()"
	for _, path := range p.Files {
		f, err := p.parse(filepath.Base(path))
		if err != nil {
			return err
		}
		changed := false
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Body == nil {
				continue
			}
			if fn.Name.Name == "FcntlInt" && f.nameResults(fn) {
				f.insert(fn.Body.Lbrace+1, " "+withParams(controlled, fn)+"; ")
				changed = true
				continue
			}
			if texts[fn.Name.Name] == "" {
				continue
			}
			text := texts[fn.Name.Name]
			if text == replaced && !namesResult(fn, "err") {
				text = replaces // it calls one that names it
			}
			text = withParams(text, fn)
			for _, name := range []string{"fd", "nfd", "newfd"} {
				if namesResult(fn, name) {
					text = strings.ReplaceAll(text, "$result", name)
				}
			}
			if strings.Contains(text, "$") ||
				strings.Contains(text, "err)") && !namesResult(fn, "err") {
				continue
			}
			f.insert(fn.Body.Lbrace+1, " "+text+"; ")
			changed = true
		}
		if changed {
			f.importPackage("syscall")
		}
	}
	return nil
}

// nameResults gives names to a result and an error, if they have none.
func (f *parsed) nameResults(fn *ast.FuncDecl) bool {
	if fn.Type.Results == nil || len(fn.Type.Results.List) != 2 {
		return false
	}
	for i, name := range []string{"commuteGot", "commuteErr"} {
		field := fn.Type.Results.List[i]
		if len(field.Names) > 0 {
			return false
		}
		f.insert(field.Type.Pos(), name+" ")
	}
	return true
}

// namesResult reports whether a function has a result of that name.
func namesResult(fn *ast.FuncDecl, name string) bool {
	return fn.Type.Results != nil && slices.ContainsFunc(fn.Type.Results.List,
		func(field *ast.Field) bool {
			return slices.ContainsFunc(field.Names, func(id *ast.Ident) bool {
				return id.Name == name
			})
		})
}
