// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
)

// whole returns a package of the standard library with all of its files but the tests.
func whole(t *testing.T, path string) *patch.Package {
	t.Helper()
	dir := filepath.Join(goroot(t), "src", filepath.FromSlash(path))
	list, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range list {
		if !strings.HasSuffix(name, "_test.go") {
			files = append(files, name)
		}
	}
	return patch.New(path, "go1.26.8", files)
}

// unix are platforms on which I/O is ordered by descriptor.
var unix = []target.Platform{
	{GOOS: "linux", GOARCH: "amd64"}, {GOOS: "linux", GOARCH: "386"},
	{GOOS: "linux", GOARCH: "arm64"}, {GOOS: "linux", GOARCH: "s390x"},
	{GOOS: "android", GOARCH: "arm64"}, {GOOS: "darwin", GOARCH: "arm64"},
	{GOOS: "ios", GOARCH: "arm64"}, {GOOS: "freebsd", GOARCH: "amd64"},
	{GOOS: "netbsd", GOARCH: "amd64"}, {GOOS: "openbsd", GOARCH: "amd64"},
	{GOOS: "dragonfly", GOARCH: "amd64"},
}

func TestOrdersIO(t *testing.T) {
	for _, p := range unix {
		if !patch.OrdersIO(p) {
			t.Errorf("%s: all I/O has one address", p)
		}
	}
	for _, goos := range []string{"windows", "plan9", "solaris", "illumos", "aix", "js", "wasip1"} {
		if p := (target.Platform{GOOS: goos, GOARCH: "amd64"}); patch.OrdersIO(p) {
			t.Errorf("%s: descriptors are followed", p)
		}
	}
}

// TestSyscall makes the changes for each platform: what one changes has to be in its files.
func TestSyscall(t *testing.T) {
	for _, platform := range unix {
		platform.Release = "go1.26.8"
		p := whole(t, "syscall")
		if err := p.Syscall(patch.Templates(), platform); err != nil {
			t.Errorf("%s: %v", platform, err)
			continue
		}
		text := lines(t, p, "syscall_unix.go")
		if strings.Contains(text, "&ioSync") {
			t.Errorf("%s: syscall_unix.go announces I/O at one address", platform)
		}
		contains(t, text, "CommuteRead(fd)", "CommuteWrite(fd)",
			"CommuteRead(infd); CommuteWrite(outfd)", "if err != nil { CommuteFailed(fd, err) }",
			"commuteDial := commuteConnecting(fd, sa)")
		if n := strings.Count(text, "{ CommuteReceived(fd, err) }()"); n != 6 {
			t.Errorf("%s: %d functions receive messages, want 6", platform, n)
		}
		if n := strings.Count(text, "CommuteSending(fd, "); n != 6 {
			t.Errorf("%s: %d functions send messages, want 6", platform, n)
		}
		contains(t, lines(t, p, "exec_unix.go"), "commuteForking(attr);")
		all, second := "", "newfd"
		if platform.GOOS != "linux" && platform.GOOS != "android" {
			second = "to"
		}
		changed, err := p.Changed()
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range changed {
			all += string(data)
		}
		contains(t, all, "commuteListening(s);", "commuteRemoving(path);", "CommuteClose(fd);",
			"CommuteTell();", "defer commuteOwn(p);",
			"defer CommuteReplacing("+second+")(); defer func() { CommuteGot("+second+", err) }();")
		if n := strings.Count(all, "{ CommuteGot("); n < 4 {
			t.Errorf("%s: %d functions give descriptors away", platform, n)
		}
		if len(p.Added) != 3 {
			t.Errorf("%s: %d files are added, want 3", platform, len(p.Added))
		}
	}
}

// TestPoll has the changes where accesses to memory are watched, where they are not, and where
// schedules are explored besides.
func TestPoll(t *testing.T) {
	for _, hide := range []bool{false, true} {
		hideCalls := map[bool]int{}
		for _, explores := range []bool{false, true} {
			hideCalls[explores] = pollChanges(t, hide, explores)
		}
		want := map[bool]int{false: 0, true: 0}
		if hide {
			want[true] = 5
		}
		if !maps.Equal(hideCalls, want) {
			t.Errorf("hide %v: functions of the lock that are hidden by calls, with and without "+
				"exploration: %v, want %v", hide, hideCalls, want)
		}
	}
}

// pollChanges checks the changes, and returns how many functions of the lock are hidden by calls.
func pollChanges(t *testing.T, hide, explores bool) (hidden int) {
	t.Helper()
	p := whole(t, "internal/poll")
	p.Explores = explores
	if err := p.Poll(unix[0], hide); err != nil {
		t.Fatal(err)
	}
	text := lines(t, p, "fd_unix.go")
	contains(t, text, "commute_ioOpen(fd.Sysfd);", "syscall.CommuteClosing(fd.Sysfd); "+
		"fd.pd.evict()", "f = commuteRawRead(f);", "f = commuteRawWrite(f);")
	contains(t, lines(t, p, "fd_posix.go"), "syscall.CommuteClosing(fd.Sysfd);")
	contains(t, lines(t, p, "writev.go"),
		"syscall.CommuteWrite(fd.Sysfd); wrote, err = writev(",
		"syscall.CommuteFailed(fd.Sysfd, err); return n, err")
	contains(t, lines(t, p, "splice_linux.go"),
		"syscall.CommuteWrite(out); defer syscall.CommuteRead(in);")
	contains(t, lines(t, p, "copy_file_range_unix.go"), `package poll; import "syscall"`,
		"syscall.CommuteRead(src.Sysfd); syscall.CommuteWrite(dst.Sysfd);")
	contains(t, lines(t, p, "fd_poll_runtime.go"), "fd.pd.commuteClosing();",
		"pd.commuteStopped(res); return convertErr(")
	changed, err := p.Changed()
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for path, data := range changed {
		if filepath.Base(path) == "fd_mutex.go" {
			hidden = strings.Count(string(data), "commute_ignoreEvents(1);")
			told = strings.Count(string(data), "commuteStopped(pollErrClosing)")
		}
	}
	if want := map[bool]int{false: 0, true: 4}[hide]; told != want {
		t.Errorf("hide %v: %d functions learn from Close, want %d", hide, told, want)
	}
	return hidden
}

// TestTelling has the packages by which a process learns otherwise than by reading.
func TestTelling(t *testing.T) {
	tests := []struct {
		path, file string
		change     func(*patch.Package) error
		want       []string
	}{
		{"os", "exec.go", (*patch.Package).Process, []string{
			"Wait() (*ProcessState, error) { defer syscall.CommuteLearn();",
			"Kill() error { syscall.CommuteTell();",
			"Signal(sig Signal) error { syscall.CommuteTell();",
		}},
		{"os/signal", "signal.go", (*patch.Package).Signals, []string{
			`package signal; import "syscall"`,
			"func process(sig os.Signal) { syscall.CommuteLearn();",
		}},
		{"net", "fd_unix.go", (*patch.Package).Dial,
			[]string{"{ defer syscall.CommuteConnected(ra);"}},
	}
	for _, test := range tests {
		p := whole(t, test.path)
		if err := test.change(p); err != nil {
			t.Fatal(err)
		}
		contains(t, lines(t, p, test.file), test.want...)
	}
}

// TestUnix has functions as golang.org/x/sys/unix has them, and others of the same names.
func TestUnix(t *testing.T) {
	p := package_(t, patch.UnixPath, map[string]string{"a.go": `package unix
func Read(fd int, p []byte) (n int, err error) { return read(fd, p) }
func Write(fd int, p []byte) (n int, err error) { return write(fd, p) }
func SendmsgN(fd int, p, oob []byte, to Sockaddr, flags int) (n int, err error) { return }
func Close(fd int) (err error) { return }
func Dup2(oldfd, newfd int) error { return nil }
func Readv(fd int) (int, error) { return 0, nil }
func Open(path string) (fd int, err error) { return open(path) }
func Accept(fd int) (nfd int, sa Sockaddr, err error) { return accept(fd) }
func Dup(fd int) (int, error) { return dup(fd) }
func Signalfd(fd int) (newfd int, err error) { return signalfd(fd) }
func Pipe2(p []int, flags int) error { return pipe2(p, flags) }
func Socketpair(domain, typ, proto int) (fd [2]int, err error) { return pair(domain) }
func SendmsgBuffers(fd int) (n int, err error) { return }
func Dup3(oldfd, newfd, flags int) (err error) { return }
func FcntlInt(fd uintptr, cmd, arg int) (int, error) { return fcntl(int(fd), cmd, arg) }
func (x *T) Read(fd int) (n int, err error) { return }
`, "b.go": "package unix\nfunc Other(fd int) (n int, err error) { return }\n"})
	if err := p.Unix(); err != nil {
		t.Fatal(err)
	}
	text := lines(t, p, "a.go")
	contains(t, text, `package unix; import "syscall"`,
		"defer func() { syscall.CommuteReceived(fd, err) }();  return read(",
		"syscall.CommuteSending(fd, nil);  return write(", "syscall.CommuteSending(fd, oob);",
		"syscall.CommuteClose(fd);", "defer syscall.CommuteReplacing(newfd)();  return nil",
		"defer syscall.CommuteReplacing(newfd)(); "+
			"defer func() { syscall.CommuteGot(newfd, err) }();  return }",
		"(commuteGot int, commuteErr error) "+
			"{ defer func() { syscall.CommuteControlled(cmd, commuteGot, commuteErr) }();",
		"defer func() { syscall.CommuteGot(fd, err) }();  return open(",
		"defer func() { syscall.CommuteGot(nfd, err) }();  return accept(",
		"defer func() { syscall.CommuteGot(newfd, err) }();  return signalfd(",
		"defer syscall.CommuteGotTwo(p);  return pipe2(",
		"defer func() { syscall.CommuteGotTwo(fd[:]) }();  return pair(")
	if n := strings.Count(text, "syscall.Commute"); n != 13 {
		t.Errorf("%d calls are added, want 13:\n%s", n, text)
	}
	if changed, err := p.Changed(); err != nil || len(changed) != 1 {
		t.Errorf("%d files are changed, %v", len(changed), err)
	}
}

// TestBookkeeping makes all changes of the library's books.
func TestBookkeeping(t *testing.T) {
	want := map[string][2]string{ // a file, and what it has
		"net/http":          {"server.go", "rw, err := commuteAccept(l)"},
		"net/http/httptest": {"server.go", "commuteLearn(&s.mu, oldHook != nil)"},
		"encoding/gob":      {"type.go", "commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"},
		"crypto/tls": {"cache.go",
			"commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"},
		"net/rpc":      {"server.go", "commuteLock(&mtype.Mutex)"},
		"database/sql": {"sql.go", "commuteRelease(&dc.Mutex)"},
		"context":      {"context.go", "commuteLearn(&p.mu, true)"},
		"log":          {"log.go", "commuteLearn(&l.outMu, !commuteOrdersNothing(l.out))"},
		"log/slog":     {"handler.go", "defer commuteUnlock(&*h.mu)"},
		"crypto/internal/fips140cache": {"cache.go",
			"commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"},
	}
	paths := patch.KeepBooks("go1.26.8")
	if len(paths) != len(want) {
		t.Errorf("packages %v, want %d", paths, len(want))
	}
	for _, path := range paths {
		p := whole(t, path)
		if err := p.Bookkeeping(); err != nil {
			t.Error(err)
			continue
		}
		contains(t, lines(t, p, want[path][0]), want[path][1])
		if path == "net/http" {
			contains(t, lines(t, p, "transport.go"), "{ t.commuteLetDial(pconn);",
				"{ pc.commuteUses.commuteUse(&pc.t.commuteUsers);", "commuteUses commuteUses; }")
		}
	}
	const empty = "package log\nfunc (l *Logger) output() {}\n"
	p := package_(t, "log", map[string]string{"log.go": empty})
	const unexpected = "output does not lock and unlock l.outMu as it did"
	if err := p.Bookkeeping(); err == nil || !strings.Contains(err.Error(), unexpected) {
		t.Errorf("error %v, want %q", err, unexpected)
	}
}

// TestPool has pools whose objects order by themselves, and pools of scratch memory, which may not.
func TestPool(t *testing.T) {
	for _, hide := range []bool{false, true} {
		p := std(t, "sync", "pool.go")
		if err := p.Pool(hide); err != nil {
			t.Fatal(err)
		}
		text := lines(t, p, "pool.go")
		contains(t, text, "if false && runtime_randn(4) == 0", "func poolRaceAddr(x any) "+
			"unsafe.Pointer { if true { return unsafe.Add(")
		for _, name := range []string{"commute_poolPut(poolRaceAddr(x))",
			"commute_poolGet(poolRaceAddr(x))"} {
			if strings.Contains(text, name) != hide {
				t.Errorf("hide %v, but %s:\n%s", hide, name, text)
			}
		}
	}
}

// TestTestingLock has the names of both releases.
func TestTestingLock(t *testing.T) {
	p := std(t, "testing", "testing.go")
	if err := errors.Join(p.Testing(), p.TestingLock()); err != nil {
		t.Fatal(err)
	}
	text := lines(t, p, "testing.go")
	const hidden = "{ commute_ignoreEvents(1); defer commute_ignoreEvents(-1);"
	if n := strings.Count(text, hidden); n != 5 {
		t.Errorf("%d functions are hidden, want 5", n)
	}
	contains(t, text, "func (c *common) Helper() "+hidden)
	src, err := os.ReadFile(filepath.Join(goroot(t), "src", "testing", "testing.go"))
	if err != nil {
		t.Fatal(err)
	}
	renamed := strings.Replace(string(src), "func (o *outputWriter) Write(",
		"func (o *outputWriter) write(", 1)
	p = package_(t, "testing", map[string]string{"testing.go": renamed})
	if err := p.TestingLock(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(lines(t, p, "testing.go"), hidden); n != 5 {
		t.Errorf("%d functions of a later release are hidden, want 5", n)
	}
}
