// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch_test

import (
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/specs"
)

// goroot is that of the go command on PATH, whose release is the supported one.
func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip(err)
	}
	return strings.TrimSpace(string(out))
}

// std returns a package of the standard library with those of its files.
func std(t *testing.T, path string, names ...string) *patch.Package {
	t.Helper()
	var files []string
	for _, name := range names {
		files = append(files, filepath.Join(goroot(t), "src", filepath.FromSlash(path), name))
	}
	return patch.New(path, "go1.26.8", files)
}

// package_ writes a package of the given files.
func package_(t *testing.T, path string, files map[string]string) *patch.Package {
	t.Helper()
	dir := t.TempDir()
	var list []string
	for name, src := range files {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		list = append(list, name)
	}
	return patch.New(path, "go1.26.8", list)
}

// lines checks that a change parses and moves no line, and returns its text.
func lines(t *testing.T, p *patch.Package, name string) string {
	t.Helper()
	changed, err := p.Changed()
	if err != nil {
		t.Fatal(err)
	}
	for path, data := range changed {
		if filepath.Base(path) != name {
			continue
		}
		if _, err := parser.ParseFile(token.NewFileSet(), name, data, 0); err != nil {
			t.Error(err)
		}
		original, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Count(string(data), "\n"), strings.Count(string(original),
			"\n"); got != want {
			t.Errorf("%s has %d lines, not %d", name, got, want)
		}
		return string(data)
	}
	t.Errorf("%s is not changed", name)
	return ""
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

func TestCond(t *testing.T) {
	p := std(t, "sync", "cond.go")
	if err := p.Cond(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "cond.go"),
		`package sync; import "internal/race"`,
		"func (c *Cond) Signal() { race.ReleaseMerge(unsafe.Pointer(c));",
		"func (c *Cond) Broadcast() { race.ReleaseMerge(unsafe.Pointer(c));",
		"runtime_notifyListWait(&c.notify, t); race.Acquire(unsafe.Pointer(c))")
}

func TestLocks(t *testing.T) {
	p := std(t, "internal/sync", "mutex.go")
	if err := p.Mutex(true); err != nil {
		t.Fatal(err)
	}
	text := lines(t, p, "mutex.go")
	contains(t, text, "func (m *Mutex) Lock() { commute_lock(unsafe.Pointer(m));",
		"commute_locked(unsafe.Pointer(m), unsafe.Pointer(m), nil, 0)",
		"commute_unlocking(unsafe.Pointer(m), unsafe.Pointer(m), false)",
		"commute_failedAttempt(); return false")
	if strings.Contains(text, "race.Acquire") || strings.Contains(text, "race.Release") {
		t.Error("mutex.go announces what a lock does by itself:", text)
	}
	p = std(t, "sync", "rwmutex.go")
	if err := p.RWMutex(false); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "rwmutex.go"),
		"commute_locked(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), nil, 5)",
		"commute_locked(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), "+
			"unsafe.Pointer(&rw.writerSem), 4)",
		"commute_unlocking(unsafe.Pointer(rw), unsafe.Pointer(&rw.writerSem), true)",
		"commute_unlocking(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), false)",
		"commute_failedAttempt(); return false",
		"readerCount atomic.CommutePlainInt32", "readerWait  atomic.CommutePlainInt32",
		"if !rw.w.mu.CommuteTake() { race.Disable(); rw.w.Lock(); race.Enable() }",
		"if !rw.w.mu.CommuteLet() { race.Disable(); rw.w.Unlock(); race.Enable() }")
	contains(t, string(p.Added[0].Data), "runtime.commute_locked", "runtime.commute_unlocking",
		"runtime.commute_failedAttempt")
}

func TestCoroutines(t *testing.T) {
	p := std(t, "runtime", "coro.go")
	if err := p.Coroutines(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "coro.go"), "gp.coroexit = true\n\tracegoend(); mcall(coroswitch_m)")
}

func TestChannels(t *testing.T) {
	p := std(t, "runtime", "chan.go", "select.go")
	if err := p.Channels(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "chan.go"),
		"selected = chansend(c, elem, false, sys.GetCallerPC()); if !selected { "+
			"commute_failedOn(c, true) }; return selected",
		"selected, received = chanrecv(c, elem, false); if !selected { commute_failedOn(c, false) }; "+
			"return selected, received",
		"commute_by uint64; commute_told, commute_looked uint32 }",
		"commute_closing(c); racerelease(c.raceaddr())",
		"func racesync(c *hchan, sg *sudog) { commute_operated(c, sg); if commute_rendezvous(",
		"func racenotify(c *hchan, idx uint, sg *sudog) { commute_operated(c, sg);")
	contains(t, lines(t, p, "select.go"),
		"selunlock(scases, lockorder); commute_failedOnAll(scases)\n\t\tcasi = -1")
}

func TestWaitGroup(t *testing.T) {
	p := std(t, "sync", "waitgroup.go")
	if err := p.WaitGroup(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "waitgroup.go"), "state := wg.state.Add(uint64(delta) << 32); "+
		"if delta > 0 { commute_adding(unsafe.Pointer(wg), delta) }")
	contains(t, string(p.Added[0].Data), "runtime.commute_adding")
}

func TestTesting(t *testing.T) {
	p := std(t, "testing", "testing.go")
	if err := p.Testing(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "testing.go"),
		"func (c *common) resetRaces() { commuteTestBegin(c.parent == nil, c.name);")
	contains(t, string(p.Added[0].Data), "//line commute/patch/testing.go:1:1\npackage testing\n",
		"runtime.commute_testBegin", "\"%20\"", "%d findings")
	contains(t, string(p.Added[1].Data), "runtime.commute_testArtifacts")
	contains(t, lines(t, p, "testing.go"), "\t\tcommuteFail(c)\n")
}

// TestFails has the writers of both releases say what was found.
func TestFails(t *testing.T) {
	src, err := os.ReadFile(filepath.Join(goroot(t), "src", "testing", "testing.go"))
	if err != nil {
		t.Fatal(err)
	}
	const now, later = "func (o *outputWriter) Write(p []byte) (int, error) {",
		"func (o *outputWriter) write(p []byte, isErr bool) (int, error) {"
	for text, want := range map[string]string{
		strings.ReplaceAll(string(src), later, now): "\t\tn.o.Write([]byte(said))\n",
		strings.ReplaceAll(string(src), now, later): "\t\tn.o.write([]byte(said), true)\n",
	} {
		p := package_(t, "testing", map[string]string{"testing.go": text})
		if err := p.Testing(); err != nil {
			t.Fatal(err)
		}
		contains(t, string(p.Added[0].Data), want)
	}
	other := strings.Replace(string(src), "race detected during", "race found during", 1)
	p := package_(t, "testing", map[string]string{"testing.go": other})
	if err := p.Testing(); err == nil {
		t.Error("a test that fails by other words is taken")
	}
}

func TestReflect(t *testing.T) {
	p := std(t, "reflect", "makefunc.go")
	if err := p.Reflect(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "makefunc.go"),
		"\n//go:norace\n//go:nosplit\nfunc moveMakeFuncArgPtrs(")
}

func TestInternalRace(t *testing.T) {
	p := std(t, "internal/race", "doc.go", "norace.go")
	if err := p.InternalRace(false); err != nil {
		t.Fatal(err)
	}
	for path := range p.Removed {
		if filepath.Base(path) != "norace.go" {
			t.Errorf("%s is left out", path)
		}
	}
	text := string(p.Added[0].Data)
	contains(t, text, filepath.FromSlash("src/internal/race/race.go")+":1:1\n",
		"const Enabled = true", "\nfunc Read(addr unsafe.Pointer) {}\n",
		"\nfunc WriteRange(addr unsafe.Pointer, len int) {}\n", "\nfunc Enable()\n")
	if len(p.Removed) != 1 || strings.Contains(text, "go:build") {
		t.Errorf("removed %v, added:\n%s", p.Removed, text)
	}
}

func TestAtomic(t *testing.T) {
	for _, doc := range []string{"doc_32.go", "doc_64.go"} {
		p := std(t, "sync/atomic", "doc.go", doc, "type.go", "value.go")
		if err := p.Atomic(false); err != nil {
			t.Fatal(err)
		}
		contains(t, lines(t, p, "type.go"),
			"func (x *Int32) Load() int32 { return CommuteLoadInt32(&x.v) }",
			"return CommuteCompareAndSwapPointer(&x.v,",
			"return CommuteSwapUint32(&x.v, b32(new)) != 0")
		contains(t, lines(t, p, "value.go"), "CommuteStorePointer(&vp.data, vlp.data)",
			"runtime_procPin()", "data := CommuteLoadPointer(&vp.data)")
		for call, want := range map[string]int{
			"commuteTypeLoadPointer(&vp.typ)":                1, // in Load
			"commuteFirstLoadPointer(&vp.typ)":               3,
			"commuteFirstCompareAndSwapPointer(&vp.typ, nil": 3,
			"CommuteStorePointer(&vp.typ":                    3,
		} {
			if n := strings.Count(lines(t, p, "value.go"), call); n != want {
				t.Errorf("there are %d calls %s, want %d", n, call, want)
			}
		}
		added := string(p.Added[0].Data)
		if _, err := parser.ParseFile(token.NewFileSet(), "", added, 0); err != nil {
			t.Error(err)
		}
		if n := strings.Count(added, "\nfunc Commute"); n != 39 {
			t.Errorf("%s: %d hooked functions, want 39", doc, n)
		}
		contains(t, added, `
func CommuteCompareAndSwapUint64(addr *uint64, old, new uint64) (swapped bool) {
	if LoadUint64(addr) != old {
		if !commute_atomicLoad(unsafe.Pointer(addr)) {
			return false // and releases nothing
		}
		fails := LoadUint64(addr) != old
		commute_atomicMade(unsafe.Pointer(addr))
		if fails {
			commute_atomicDone(unsafe.Pointer(addr))
			return false
		}
	}
	fixed := commute_atomicRMW(unsafe.Pointer(addr))
	swapped = CompareAndSwapUint64(addr, old, new)
	if fixed {
		commute_atomicMade(unsafe.Pointer(addr))
	}
	commute_atomicDone(unsafe.Pointer(addr))
	return swapped
}
`, `
func CommuteStorePointer(addr *unsafe.Pointer, val unsafe.Pointer) {
	if commute_atomicStore(unsafe.Pointer(addr)) {
		StorePointer(addr, val)
		commute_atomicMade(unsafe.Pointer(addr))
		return
	}
	StorePointer(addr, val)
}
`)
	}
}

func TestSpecs(t *testing.T) {
	p := std(t, "sync", "cond.go", "map.go")
	if err := errors.Join(p.Cond(), p.Specs(specs.For("sync"))); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "map.go"), "func (m *Map) commute_Load(",
		"func (m *Map) commute_Range(")
	contains(t, lines(t, p, "cond.go"), "race.Acquire")
	contains(t, string(p.Added[0].Data), "//line commute/specs/sync.go:1:1\n",
		"func (m *Map) Load(")
}

func TestSpecWrappers(t *testing.T) {
	p := std(t, "sync/atomic", "doc.go", "doc_64.go", "type.go", "value.go")
	if err := errors.Join(p.Atomic(false), p.SpecWrappers(specs.For("sync/atomic"))); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "type.go"),
		"func (x *Int64) Add(delta int64) (new int64) { return CommuteAddInt64(")
	contains(t, string(p.Added[1].Data), "//line commute/specs/sync/atomic.go:1:1\n",
		"func (x *Int64) Commute_Add(delta int64) (new int64) {\n", "new = x.Add(delta)\n",
		"func (v *Value) Commute_Store(val any) {\n",
		"func (x *Pointer[T]) Commute_CompareAndSwap(", "func (x *Bool) Commute_Load(")
}
