// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"go/parser"
	"io/fs"
	"path"
	"slices"
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

// replacing is for what makes one descriptor the copy of another one.
const replacing = "defer CommuteReplacing($1)(); defer func() { CommuteGot($1, err) }()"

// Syscall changes package syscall. fsys has the files that are added.
func (p *Package) Syscall(fsys fs.FS, platform target.Platform) error {
	if err := p.ioSync(); err != nil {
		return err
	}
	generated := generatedFile(platform)
	insertions := []insertion{
		{"syscall_unix.go", "", "Connect", first, "commuteDial := commuteConnecting($0, $1); " +
			"defer func() { commuteConnected(commuteDial, $0, $1, err) }()"},
		{"syscall_unix.go", "", "Socketpair", last, "commutePaired(fd, err)"},
		{"exec_unix.go", "", "forkExec", first, "commuteForking($2)"},
		{generated, "", "Close", first, "CommuteClose($0)"},
		{unlinkFile(platform), "", "Unlink", first, "commuteRemoving($0)"},
		{listenFile(platform), "", "Listen", first, "commuteListening($0)"},
	}
	for _, name := range []string{"Recvfrom", "Recvmsg", "recvfromInet4", "recvfromInet6",
		"recvmsgInet4", "recvmsgInet6"} {
		insertions = append(insertions, insertion{"syscall_unix.go", "", name, first,
			"defer func() { CommuteReceived($0, err) }()"})
	}
	for _, name := range []string{"Sendto", "sendtoInet4", "sendtoInet6"} {
		insertions = append(insertions, insertion{"syscall_unix.go", "", name, first,
			"CommuteSending($0, nil); defer func() { CommuteFailed($0, err) }()"})
	}
	for _, name := range []string{"SendmsgN", "sendmsgNInet4", "sendmsgNInet6"} {
		insertions = append(insertions, insertion{"syscall_unix.go", "", name, first,
			"CommuteSending($0, $2); defer func() { CommuteFailed($0, err) }()"})
	}
	switch platform.GOOS {
	case "linux", "android":
		insertions = append(insertions,
			insertion{"syscall_linux.go", "", "Pipe2", last, "commutePiped($0, err)"},
			insertion{"syscall_linux.go", "", "Accept4", last, "commuteAccepted(nfd, sa, err)"},
			insertion{generated, "", "Dup3", first, replacing},
			insertion{generated, "", "Kill", first, "CommuteTell()"})
	case "darwin", "ios":
		insertions = append(insertions,
			insertion{"syscall_darwin.go", "", "Kill", first, "CommuteTell()"})
	default:
		insertions = append(insertions, insertion{generated, "", "Kill", first, "CommuteTell()"})
	}
	insertions = append(insertions, p.got(platform)...)
	if hasDup2(platform) {
		insertions = append(insertions,
			insertion{generated, "", "Dup2", first, replacing})
	}
	if err := p.insertAll(insertions); err != nil {
		return err
	}
	return p.addTemplates(fsys, "syscall", platform)
}

// got is the insertions in what gives a descriptor to the process, but for what knows more of it.
func (p *Package) got(platform target.Platform) []insertion {
	const fd = "defer func() { CommuteGot(fd, err) }()"
	const nfd = "defer func() { CommuteGot(nfd, err) }()"
	generated := generatedFile(platform)
	list := []insertion{{"syscall_unix.go", "", "Socket", first, fd}}
	switch platform.GOOS {
	case "linux", "android":
		list = append(list,
			insertion{"forkpipe2.go", "", "forkExecPipe", first, "defer commuteOwn($0)"},
			insertion{"syscall_linux.go", "", "Open", first, fd},
			insertion{"syscall_linux.go", "", "Openat", first, fd},
			insertion{"syscall_linux.go", "", "Accept4", first, nfd},
			insertion{generated, "", "InotifyInit1", first, fd},
			insertion{generated, "", "Dup", first, fd},
			insertion{generated, "", "EpollCreate1", first, fd})
	default:
		pipe := "forkpipe2.go"
		if platform.GOOS == "darwin" || platform.GOOS == "ios" {
			pipe = "forkpipe.go"
		}
		list = append(list,
			insertion{pipe, "", "forkExecPipe", first, "defer commuteOwn($0)"},
			insertion{"syscall_bsd.go", "", "Accept", first, nfd},
			insertion{generated, "", "Open", first, fd},
			insertion{generated, "", "Kqueue", first, fd},
			insertion{generated, "", "Dup", first, nfd})
		if pipe == "forkpipe2.go" {
			list = append(list,
				insertion{"syscall_" + platform.GOOS + ".go", "", "Accept4", first, nfd})
		}
	}
	return list
}

// generatedFile is the file of package syscall with functions that are a system call each.
func generatedFile(platform target.Platform) string {
	goos := platform.GOOS
	switch goos {
	case "android":
		goos = "linux"
	case "ios":
		goos = "darwin"
	}
	return "zsyscall_" + goos + "_" + platform.GOARCH + ".go"
}

// listenFile is the file that declares Listen. Some ports have one call for all about sockets.
func listenFile(platform target.Platform) string {
	if name := generatedFile(platform); name != "zsyscall_linux_386.go" &&
		name != "zsyscall_linux_s390x.go" {
		return name
	}
	return "syscall_linux_" + platform.GOARCH + ".go"
}

// unlinkFile is the file that declares Unlink.
func unlinkFile(platform target.Platform) string {
	if platform.GOOS == "linux" || platform.GOOS == "android" {
		return "syscall_linux.go"
	}
	return generatedFile(platform)
}

// hasDup2 reports whether package syscall has Dup2 on a platform. Newer ports of Linux have Dup3.
func hasDup2(platform target.Platform) bool {
	if platform.GOOS != "linux" && platform.GOOS != "android" {
		return true
	}
	return !slices.Contains([]string{"arm64", "loong64", "riscv64"}, platform.GOARCH)
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
		// An error may tell that another goroutine has closed the other end.
		failed := withParams("CommuteFailed($0, err)", fn)
		end, ok := fn.Body.List[len(fn.Body.List)-1].(*ast.ReturnStmt)
		if ok && len(end.Results) == 0 {
			f.insert(end.Pos(), "if err != nil { "+failed+" }; ")
		} else {
			f.insert(fn.Body.Lbrace+1, " defer func() { "+failed+" }(); ")
		}
	}
	return nil
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
