// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"errors"
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/goversion"
)

// The standard library keeps books under locks of its own: which connections are open, idle or
// busy. Goroutines that have nothing to do with each other take such a lock one after the other,
// and each would come after all that the one before has done. But what a goroutine finds in the
// books doesn't depend on that.
//
// So the critical sections listed here release and don't acquire. Others with the same lock, such
// as that of Server.Shutdown, do both: they come after the listed ones. What is handed over has an
// order of its own: a connection of net/http goes through a channel, and one of database/sql has a
// lock. Where accesses to memory are watched nothing is changed: the books are in memory, too.

// A section is the critical section of a lock in a function.
type section struct {
	file, recv, name string
	// lock is the lock as the source has it. Without one nothing in the function releases or
	// acquires: it is all about a cache of the library's own.
	lock  string
	mutex string // the mutex, if that is another expression
	// unless is the condition that others than the library look at what the lock guards. Then
	// the section acquires.
	unless string
	// learns is a name in the condition under which a section acquires: it goes on with what
	// another one has left, such as that all is closed.
	learns string
	until  string // the first release that doesn't have the function, as in "go1.27"
}

// sections has those of each package.
var sections = map[string][]section{
	"net/http": {
		{file: "server.go", recv: "Server", name: "trackConn", lock: "s.mu"},
		{file: "transport.go", recv: "Transport", name: "queueForIdleConn", lock: "t.idleMu"},
		{file: "transport.go", recv: "Transport", name: "tryPutIdleConn", lock: "t.idleMu"},
		{file: "transport.go", recv: "Transport", name: "removeIdleConn", lock: "t.idleMu"},
		{file: "transport.go", recv: "persistConn", name: "closeConnIfStillIdle", lock: "t.idleMu"},
		{file: "transport.go", recv: "Transport", name: "queueForDial", lock: "t.connsPerHostMu"},
		{file: "transport.go", recv: "Transport", name: "startDialConnForLocked",
			lock: "t.connsPerHostMu"},
		{file: "transport.go", recv: "Transport", name: "decConnsPerHost",
			lock: "t.connsPerHostMu"},
		{file: "h2_bundle.go", recv: "http2serverInternalState", name: "registerConn",
			lock: "s.mu", until: "go1.27"},
		{file: "h2_bundle.go", recv: "http2serverInternalState", name: "unregisterConn",
			lock: "s.mu", until: "go1.27"},
	},
	"net/http/internal/http2": {
		{file: "server.go", recv: "Server", name: "registerConn", lock: "s.mu"},
		{file: "server.go", recv: "Server", name: "unregisterConn", lock: "s.mu"},
	},
	"encoding/gob": {
		{file: "type.go", name: "getTypeInfo"},
	},
	// Cleanups take what is unused out of these two caches. The goroutine that runs cleanups comes
	// after all that was done, and who looks into the cache next must not.
	"crypto/tls": {
		{file: "cache.go", recv: "weakCertCache", name: "newCert"},
	},
	"crypto/internal/fips140cache": {
		{file: "cache.go", recv: "Cache", name: "Get"},
	},
	"net/http/httptest": {
		{file: "server.go", recv: "Server", name: "wrap", lock: "s.mu", unless: "oldHook != nil",
			learns: "closed"},
	},
	"net/rpc": {
		{file: "server.go", recv: "Server", name: "getRequest", lock: "server.reqLock"},
		{file: "server.go", recv: "Server", name: "freeRequest", lock: "server.reqLock"},
		{file: "server.go", recv: "Server", name: "getResponse", lock: "server.respLock"},
		{file: "server.go", recv: "Server", name: "freeResponse", lock: "server.respLock"},
		{file: "server.go", recv: "service", name: "call", lock: "mtype", mutex: "mtype.Mutex"},
		{file: "client.go", recv: "Client", name: "send", lock: "client.mutex", learns: "shutdown"},
	},
	"database/sql": {
		{file: "sql.go", recv: "DB", name: "conn", lock: "db.mu", learns: "closed"},
		{file: "sql.go", recv: "DB", name: "putConn", lock: "db.mu"},
		{file: "sql.go", recv: "DB", name: "addDep", lock: "db.mu"},
		{file: "sql.go", recv: "DB", name: "removeDep", lock: "db.mu"},
		{file: "sql.go", recv: "Stmt", name: "removeClosedStmtLocked", lock: "s.db.mu"},
		{file: "sql.go", recv: "Stmt", name: "connStmt", lock: "s.mu", learns: "closed"},
		{file: "sql.go", recv: "Stmt", name: "prepareOnConnLocked", lock: "s.mu"},
	},
	"context": {
		{file: "context.go", recv: "cancelCtx", name: "propagateCancel", lock: "p.mu",
			learns: "err"},
		{file: "context.go", name: "removeChild", lock: "p.mu"},
	},
	"log": {
		{file: "log.go", recv: "Logger", name: "output", lock: "l.outMu",
			unless: "!commuteOrdersNothing(l.out)"},
	},
	"log/slog": {
		{file: "handler.go", recv: "commonHandler", name: "handle", lock: "h.mu", mutex: "*h.mu",
			unless: "!commuteOrdersNothing(h.w)"},
	},
}

// bookkeepingFile is added to a package with such sections. Once a section is over, goroutines that
// acquire come after it.
const bookkeepingFile = `package %s

import (
	"sync"
	"unsafe"
)

//go:linkname commute_ignoreEvents runtime.commute_ignoreEvents
func commute_ignoreEvents(by int8)

//go:linkname commute_releaseAt runtime.commute_releaseAt
//go:noescape
func commute_releaseAt(addr unsafe.Pointer)

//go:linkname commute_acquireAt runtime.commute_acquireAt
//go:noescape
func commute_acquireAt(addr unsafe.Pointer)

func commuteLock(m *sync.Mutex) {
	commute_ignoreEvents(1)
	m.Lock()
	commute_ignoreEvents(-1)
}

func commuteUnlock(m *sync.Mutex) {
	commute_releaseAt(unsafe.Pointer(m))
	commute_ignoreEvents(1)
	m.Unlock()
	commute_ignoreEvents(-1)
}

func commuteRelease(m *sync.Mutex) { commute_releaseAt(unsafe.Pointer(m)) }

func commuteLearn(m *sync.Mutex, learn bool) {
	if learn {
		commute_acquireAt(unsafe.Pointer(m))
	}
}
`

// logFile and slogFile are added to the packages of logs. What is written to a file is seen by
// nobody who then calls. Package log/slog can't import what it doesn't import already.
const logFile = `package log

import (
	"io"
	"os"
)

func commuteOrdersNothing(w io.Writer) bool {
	_, ok := w.(*os.File)
	return ok || w == io.Discard
}
`

const slogFile = `package slog

import (
	"io"
	"reflect"
)

func commuteOrdersNothing(w io.Writer) bool {
	t := reflect.TypeOf(w)
	return t != nil && t.String() == "*os.File" || w == io.Discard
}
`

// serveFile is added to net/http. A server accepts connections one after the other, and hands each
// to a goroutine of its own. That somebody has made the one is no order of what is done with the
// next.
const serveFile = `package http

import (
	"errors"
	"net"
)

func commuteAccept(l net.Listener) (net.Conn, error) {
	inner := l
	if once, ok := l.(*onceCloseListener); ok {
		inner = once.Listener
	}
	if _, ok := inner.(*net.TCPListener); !ok {
		return l.Accept()
	}
	c, err := commuteAcceptHidden(l)
	if errors.Is(err, net.ErrClosed) {
		return l.Accept() // comes after Close
	}
	return c, err
}

func commuteAcceptHidden(l net.Listener) (net.Conn, error) {
	commute_ignoreEvents(1)
	defer commute_ignoreEvents(-1)
	return l.Accept()
}
`

// since has the packages that older releases don't have.
var since = map[string]string{"net/http/internal/http2": "go1.27"}

// KeepBooks lists the packages of a release that have critical sections that are changed.
func KeepBooks(release string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(sections)), func(path string) bool {
		first, ok := since[path]
		return ok && !slices.Contains(goversion.Tags(release), first)
	})
}

// Bookkeeping changes the critical sections of a package.
func (p *Package) Bookkeeping() error {
	for _, s := range sections[p.Path] {
		var err error
		switch {
		case s.until != "" && slices.Contains(goversion.Tags(p.GoVersion), s.until):
		case s.lock == "":
			err = p.insertAll([]insertion{{s.file, s.recv, s.name, first,
				"commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"}})
		default:
			err = p.section(s)
		}
		if err != nil {
			return err
		}
	}
	name := p.Path[strings.LastIndex(p.Path, "/")+1:]
	add := func(file, text string) {
		p.Added = append(p.Added, edit.Added{
			Name: "commute_" + file,
			Data: edit.WithLine("commute/patch/"+file, []byte(text)),
		})
	}
	add("bookkeeping.go", fmt.Sprintf(bookkeepingFile, name))
	switch p.Path {
	case "log":
		add("log.go", logFile)
	case "log/slog":
		add("log.go", slogFile)
	case "net/http":
		add("serve.go", serveFile)
		add("dial.go", dialFile)
		return errors.Join(p.accepts(), p.dialing())
	case "database/sql":
		// The first use of a connection comes after it was opened.
		return p.insertAll([]insertion{{"sql.go", "DB", "openNewConnection", last,
			"commuteRelease(&dc.Mutex)"}})
	}
	return nil
}

// accepts changes how a server accepts connections.
func (p *Package) accepts() error {
	f, err := p.parse("server.go")
	if err != nil {
		return err
	}
	serve, err := f.method("Server", "Serve")
	if err != nil {
		return err
	}
	call := firstCall(serve.Body, "Accept")
	if call == nil || len(call.Args) != 0 {
		return p.unexpected("(*Server).Serve does not accept connections")
	}
	listener := call.Fun.(*ast.SelectorExpr).X
	f.replace(call.Pos(), call.End(), "commuteAccept("+f.text(listener)+")")
	return nil
}

// section changes one.
func (p *Package) section(s section) error {
	f, err := p.parse(s.file)
	if err != nil {
		return err
	}
	fn, err := f.method(s.recv, s.name)
	if err != nil {
		return err
	}
	mutex := s.mutex
	if mutex == "" {
		mutex = s.lock
	}
	locks, unlocks, learns := 0, 0, 0
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || f.text(sel.X) != s.lock {
				return true
			}
			switch sel.Sel.Name {
			case "Lock":
				text := "commuteLock(&" + mutex + ")"
				if s.unless != "" {
					text += "; commuteLearn(&" + mutex + ", " + s.unless + ")"
				}
				f.replace(n.Pos(), n.End(), text)
				locks++
			case "Unlock":
				f.replace(n.Pos(), n.End(), "commuteUnlock(&"+mutex+")")
				unlocks++
			}
		case *ast.IfStmt:
			if s.learns != "" && mentions(n.Cond, s.learns) {
				f.insert(n.Body.Lbrace+1, " commuteLearn(&"+mutex+", true); ")
				learns++
			}
		}
		return true
	})
	if locks == 0 || unlocks == 0 || s.learns != "" && learns == 0 {
		return p.unexpected(fmt.Sprintf("%s does not lock and unlock %s as it did", s.name,
			s.lock))
	}
	return nil
}

// text is the source of a node.
func (f *parsed) text(n ast.Node) string {
	return string(f.data[f.offset(n.Pos()):f.offset(n.End())])
}
