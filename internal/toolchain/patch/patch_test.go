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
	"testing/fstest"

	"github.com/commutego/commute/internal/toolchain/patch"
	"github.com/commutego/commute/internal/toolchain/target"
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
	if err := p.Mutex(); err != nil {
		t.Fatal(err)
	}
	text := lines(t, p, "mutex.go")
	contains(t, text, "func (m *Mutex) Lock() { commute_lock(unsafe.Pointer(m));",
		"commute_locked(unsafe.Pointer(m), unsafe.Pointer(m), nil, false)",
		"commute_unlocking(unsafe.Pointer(m), unsafe.Pointer(m), false)",
		"commute_failedAttempt(); return false")
	if strings.Contains(text, "race.Acquire") || strings.Contains(text, "race.Release") {
		t.Error("mutex.go announces what a lock does by itself:", text)
	}
	p = std(t, "sync", "rwmutex.go")
	if err := p.RWMutex(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "rwmutex.go"),
		"commute_locked(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), nil, true)",
		"commute_locked(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), "+
			"unsafe.Pointer(&rw.writerSem), false)",
		"commute_unlocking(unsafe.Pointer(rw), unsafe.Pointer(&rw.writerSem), true)",
		"commute_unlocking(unsafe.Pointer(rw), unsafe.Pointer(&rw.readerSem), false)",
		"commute_failedAttempt(); return false")
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
			"commute_failedAttempt() }; return selected",
		"selected, received = chanrecv(c, elem, false); if !selected { commute_failedAttempt() }; "+
			"return selected, received")
	contains(t, lines(t, p, "select.go"),
		"selunlock(scases, lockorder); commute_failedAttempt()\n\t\tcasi = -1")
}

func TestTesting(t *testing.T) {
	p := std(t, "testing", "testing.go")
	if err := p.Testing(); err != nil {
		t.Fatal(err)
	}
	contains(t, lines(t, p, "testing.go"),
		"func (c *common) resetRaces() { commuteTestBegin(c.parent == nil, c.name);")
	contains(t, string(p.Added[0].Data), "//line commute/patch/testing.go:1:1\npackage testing\n",
		"runtime.commute_testBegin")
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
	if err := p.InternalRace(); err != nil {
		t.Fatal(err)
	}
	for path := range p.Removed {
		if filepath.Base(path) != "norace.go" {
			t.Errorf("%s is left out", path)
		}
	}
	text := string(p.Added[0].Data)
	contains(t, text, filepath.FromSlash("src/internal/race/race.go")+":1:1\n",
		"const Enabled = true")
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
			"runtime_procPin()")
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

func TestTwins(t *testing.T) {
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

// TestUnexpected has packages of a release that commute does not know.
func TestUnexpected(t *testing.T) {
	const who = "this commute does not know the package "
	tests := []struct {
		name   string
		path   string
		files  map[string]string
		change func(*patch.Package) error
		want   string
	}{
		{"no file", "sync", nil, (*patch.Package).Cond, who +
			"sync of go1.26.8: it has no file cond.go"},
		{
			"no method", "sync",
			map[string]string{"cond.go": "package sync\nfunc (c *Cond) Signal() {}\n"},
			(*patch.Package).Cond, "cond.go does not declare (*Cond).Broadcast",
		},
		{
			"no call", "sync",
			map[string]string{"cond.go": "package sync\nfunc (c *Cond) Signal() {}\nfunc (c " +
				"*Cond) Broadcast() {}\nfunc (c *Cond) Wait() {}\n"},
			(*patch.Package).Cond, "(*Cond).Wait does not call runtime_notifyListWait",
		},
		{
			"mutex", "internal/sync",
			map[string]string{"mutex.go": "package sync\nfunc (m *Mutex) Lock() { " +
				"race.Acquire(m) }\n" +
				"func (m *Mutex) lockSlow() {}\nfunc (m *Mutex) TryLock() bool { return false " +
				"}\nfunc (m *Mutex) Unlock() {}\n"},
			(*patch.Package).Mutex, "(*Mutex).lockSlow does not call race.Acquire as often as it " +
				"did",
		},
		{
			"try", "sync",
			map[string]string{"rwmutex.go": "package sync\nfunc (rw *RWMutex) RLock() { " +
				"race.Acquire(rw) }\n" +
				"func (rw *RWMutex) TryRLock() bool { race.Acquire(rw); return true }\n" +
				"func (rw *RWMutex) Lock() { race.Acquire(rw); race.Acquire(rw) }\n" +
				"func (rw *RWMutex) TryLock() bool { race.Acquire(rw); race.Acquire(rw); return " +
				"true }\n" +
				"func (rw *RWMutex) RUnlock() { race.ReleaseMerge(rw) }\nfunc (rw *RWMutex) " +
				"Unlock() { race.Release(rw) }\n"},
			(*patch.Package).RWMutex, "(*RWMutex).TryLock does not return false",
		},
		{
			"testing", "testing",
			map[string]string{"testing.go": "package testing\nfunc (c *T) resetRaces() {}\n"},
			(*patch.Package).Testing, "testing.go does not declare (*common).resetRaces",
		},
		{
			"timers", "runtime",
			map[string]string{"time.go": "package runtime\nfunc newTimer() { racerelease(nil) " +
				"}\nfunc resetTimer() {}\n"},
			(*patch.Package).Timers, "resetTimer does not call racerelease",
		},
		{
			"coroutines", "runtime",
			map[string]string{"coro.go": "package runtime\nfunc coroexit(c *coro) {}\n"},
			(*patch.Package).Coroutines, "coroexit does not call mcall",
		},
		{
			"channels", "runtime",
			map[string]string{"chan.go": "package runtime\nfunc racesync(c *hchan) {}\n"},
			(*patch.Package).Channels, "racesync does not have a channel and a waiting goroutine",
		},
		{
			"allocator", "runtime",
			map[string]string{"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
				"true\n"},
			(*patch.Package).Memory, "malloc.go does not ask for raceenabled",
		},
		{
			"allocator's experiment", "runtime",
			map[string]string{"malloc.go": "package runtime\nconst a = raceenabled\n" + homes},
			(*patch.Package).Memory, "malloc.go does not declare runtimeFreegcEnabled",
		},
		{
			"sweeper", "runtime", map[string]string{
				"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
					"raceenabled\n" + homes,
				"malloc_generated.go": "package runtime\nconst b = raceenabled\n",
				"mgcsweep.go": "package runtime\nfunc (sl *sweepLocked) sweep() { s := sl.mspan; " +
					"_ = s }\n",
			},
			(*patch.Package).Memory,
			"(*sweepLocked).sweep does not look at freed objects for raceenabled",
		},
		{
			"heap", "runtime", map[string]string{
				"malloc.go": "package runtime\nconst runtimeFreegcEnabled = " +
					"raceenabled\n" + homes,
				"malloc_generated.go": "package runtime\nconst b = raceenabled\n",
				"mgcsweep.go": "package runtime\nfunc (sl *sweepLocked) sweep() { s := sl.mspan; " +
					"if raceenabled || traceAllocFreeEnabled() {} }\n",
				"mheap.go": "package runtime\nfunc (h *mheap) alloc() *mspan { return nil() }\n",
			},
			(*patch.Package).Memory, "(*mheap).alloc does not return a variable",
		},
		{
			"race.go", "internal/race",
			map[string]string{"norace.go": "package race\nfunc New(x int)\n",
				"race.go": "//go:build race\npackage race\n"},
			(*patch.Package).InternalRace, "race.go does not declare New(int)",
		},
		{
			"race constraint", "internal/race", map[string]string{"norace.go": "package race\n",
				"race.go": "package race\n"},
			(*patch.Package).InternalRace, "race.go is not constrained to race",
		},
		{
			"atomic", "sync/atomic",
			map[string]string{"doc.go": "package atomic\nfunc LoadInt32(addr *int32) int64\n"},
			atomics, "it declares LoadInt32(*int32) (int64)",
		},
		{
			"new atomic", "sync/atomic",
			map[string]string{"doc.go": "package atomic\nfunc NandInt32(addr *int32) int32\n"},
			atomics, "it declares NandInt32(*int32) (int32)",
		},
		{
			"few atomics", "sync/atomic", map[string]string{"doc.go": "package atomic\n"},
			atomics, "it does not declare ",
		},
	}
	for _, test := range tests {
		err := test.change(package_(t, test.path, test.files))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.name, err, test.want)
		}
	}
}

func TestRuntime(t *testing.T) {
	const original = "package runtime\nimport \"unsafe\"\nconst raceenabled = false\n" +
		"func raceinit() (uintptr, uintptr) { throw(\"race\"); return 0, 0 }\n" +
		"func racefree(p unsafe.Pointer, sz uintptr) { throw(\"race\") }\n"
	const head = "//go:build commute_patch\n\npackage runtime\nimport \"unsafe\"\nconst " +
		"raceenabled = true\n"
	const initF = "func raceinit() (a, b uintptr) { return }\n"
	const freeF = "func racefree(_ unsafe.Pointer, n uintptr) {}\n"
	tests := []struct {
		name      string
		original  string
		templates map[string]string
		want      string // "" means no error
	}{
		{"same", original, map[string]string{"race0.go": head + initF + freeF}, ""},
		{"for another system", original, map[string]string{"race0.go": head + initF + freeF,
			"x_plan9.go": "//go:build ignore\npackage runtime\n"}, ""},
		{"in two files", original, map[string]string{"race0.go": head + initF,
			"other.go": "package runtime\n" + freeF}, ""},
		{"missing", original, map[string]string{"race0.go": head + initF},
			"race0.go declares racefree(unsafe.Pointer, uintptr), which commute does not " +
				"implement"},
		{
			"other type", original, map[string]string{"race0.go": head + initF +
				"func racefree(p, n unsafe.Pointer) {}\n"},
			"race0.go declares racefree(unsafe.Pointer, uintptr), which commute has as " +
				"racefree(unsafe.Pointer, unsafe.Pointer)",
		},
		{"too many", original, map[string]string{"race0.go": head + initF + freeF +
			"func raceold() {}\n"}, "race0.go does not declare raceold"},
		{"variable", original + "var racenew int\n", map[string]string{"race0.go": head + initF +
			freeF}, "race0.go declares racenew"},
		{"method", original + "func (g *g) race() {}\n", map[string]string{"race0.go": head +
			initF + freeF}, "race0.go declares the method race"},
		{"no template", original, nil, "no template of package runtime is called race0.go"},
	}
	for _, test := range tests {
		fsys := fstest.MapFS{}
		for name, src := range test.templates {
			fsys[name] = &fstest.MapFile{Data: []byte(src)}
		}
		p := package_(t, "runtime", map[string]string{"race0.go": test.original})
		err := p.Runtime(fsys, target.Current("go1.26.8"), false)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.name, err, test.want)
			}
			continue
		}
		if err != nil || len(p.Removed) != 1 || len(p.Added) == 0 {
			t.Errorf("%s: %v, removed %v, added %d", test.name, err, p.Removed, len(p.Added))
			continue
		}
		for _, a := range p.Added {
			if !strings.HasPrefix(string(a.Data), "//line commute/patch/") {
				t.Errorf("%s: %s:\n%s", test.name, a.Name, a.Data)
			}
		}
	}
}

// TestTemplates holds commute's templates against the release's race0.go.
func TestTemplates(t *testing.T) {
	p := std(t, "runtime", "race0.go")
	if err := p.Runtime(patch.Templates(), target.Current("go1.26.8"), false); err != nil {
		t.Error(err)
	}
}

func atomics(p *patch.Package) error { return p.Atomic(false) }

// homes is what is changed of malloc.go to know where objects were allocated.
const homes = "const sizeSpecializedMallocEnabled = true\nfunc mallocgc(size uintptr) { if " +
	"raceenabled { racemalloc(x, size) } }\n"
