// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/commutego/commute/internal/toolchain/edit"
	"github.com/commutego/commute/internal/toolchain/goversion"
)

// A build in which schedules are explored is one of its own. There package runtime asks the engine
// which goroutine runs next, and gives it the time of a clock that depends on nothing else. See the
// templates explore*.go.

// ExploreTag is set as well where schedules are explored.
const ExploreTag = "commute_explore"

// exploreRuntime are the insertions in package runtime.
var exploreRuntime = []insertion{
	{"proc.go", "", "runqput", first, "if commute_hold($1) { return }"},
	{"proc.go", "", "globrunqput", first, "if commute_hold($0) || commute_keep($0) { return }"},
	{"proc.go", "", "runqgrab", first, "$3 = $3 && gcBlackenEnabled != 0"},
	{"proc.go", "", "schedule", first, "commute_pick()"},
	{"proc.go", "", "park_m", first, "commute_parking($0)"},
	{"proc.go", "", "goyield_m", first, "commute_yielding($0)"},
	{"proc.go", "", "goschedImpl", first, "if !$1 || commute_preempted($0) { commute_yielding($0) }"},
	{"proc.go", "", "gdestroy", first, "commute_gone($0)"},
	{"proc.go", "", "execute", first, "commute_run($0)"},
	{"proc.go", "", "retake", first, "commute_watch($0)"},
	{"netpoll.go", "", "poll_runtime_pollReset", first, "commute_ask()"},
	{"proc.go", "", "checkdead", first, "if commute_toldWaits() { return }"},
	{"proc.go", "", "syscall_runtime_AfterFork", first, "commute_forked()"},
	{"proc.go", "", "wakep", first, "if commute_quiet() { return }"},
	{"proc.go", "", "findRunnable", "beforeIdle", "if commute_idle() { goto top }"},
	{"proc.go", "", "checkTimersNoP", first, "if true { return $2 }"},
	{"coro.go", "", "coroswitch_m", first, "commute_from := commute_coroutine($0)"},
	{"coro.go", "", "coroswitch_m", "setGNoWB", "commute_switched(commute_from, gnext)"},
	{"time.go", "", "timeSleepUntil", first, "if true { return 0 }"},
	{"time.go", "timer", "maybeAdd", "lock", "if !$r.isFake { ts = commute_timers() }"},
	{"time.go", "timer", "maybeAdd", "addHeap", "$r.rand = commute_timerOrder()"},
	{"netpoll_epoll.go", "", "netpoll", first,
		"if $0 = commute_awaitInput($0); $0 < -1 { return gList{}, 0 }"},
	{"proc.go", "", "sync_runtime_procPin", first,
		"if true { return commute_poolIndex(procPin()) }"},
	{"rand.go", "", "rand", first, "if n, ok := commute_rand(); ok { return n }"},
	{"rand.go", "", "randinit", first, "commute_fixRandom()"},
	// Spinning looks at the machine. Who waits for a mutex starves by the clock of the program.
	{"proc.go", "", "internal_sync_runtime_canSpin", first, "if true { return false }"},
	{"sema.go", "", "internal_sync_nanotime", first, "if true { return commute_starveTime() }"},

	{"chan.go", "", "chansend", first, "commute_channelPoint($0, commute_explore_Send)"},
	{"chan.go", "", "chanrecv", first, "commute_channelPoint($0, commute_explore_Recv)"},
	{"chan.go", "", "closechan", first, "commute_channelPoint($0, commute_explore_Close)"},
	{"select.go", "", "selectgo", first, "commute_selectPoint($0, $3+$4)"},

	{"debug.go", "", "NumGoroutine", first, "commute_seeAll()"},
	{"mprof.go", "", "Stack", first, "commute_seeAll()"},
}

// exploreNames are the functions of package runtime in which calls of one function make way for
// those of another. Until is the first release that doesn't have the function, as in "go1.27".
var exploreNames = []struct{ file, recv, name, from, to, until string }{
	{"select.go", "", "selectgo", "cheaprandn", "commute_cheaprandn", ""},
	{"time.go", "", "time_runtimeNow", "time_now", "commute_timeNow", ""},
	{"time.go", "", "time_runtimeNano", "nanotime", "commute_nano", ""},
	{"time.go", "", "timeSleep", "nanotime", "commute_nano", ""},
	{"time.go", "timer", "maybeRunChan", "nanotime", "commute_nano", ""},
	{"time.go", "timer", "maybeRunAsync", "nanotime", "commute_nano", "go1.27"},
	{"netpoll.go", "", "poll_runtime_pollSetDeadline", "nanotime", "commute_nano", ""},
	{"proc.go", "", "findRunnable", "netpollAnyWaiters", "commute_mayPoll", ""},
}

// ExploreRuntime changes package runtime so that schedules are explored.
func (p *Package) ExploreRuntime() error {
	if err := p.insertAll(exploreRuntime); err != nil {
		return err
	}
	for _, r := range exploreNames {
		if r.until != "" && slices.Contains(goversion.Tags(p.GoVersion), r.until) {
			continue
		}
		f, err := p.parse(r.file)
		if err != nil {
			return err
		}
		fn, err := f.method(r.recv, r.name)
		if err != nil {
			return err
		}
		n := 0
		ast.Inspect(fn.Body, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && called(call) == r.from {
				f.replace(call.Fun.Pos(), call.Fun.End(), r.to)
				n++
			}
			return true
		})
		if n == 0 {
			return p.unexpected(r.name + " does not call " + r.from)
		}
	}
	clock, err := p.parse("time.go")
	if err != nil {
		return err
	}
	check, err := clock.method("timers", "check")
	if err != nil {
		return err
	}
	clock.replace(check.Name.Pos(), check.Name.End(), "commute_check")
	declarations, err := p.parse("runtime2.go")
	if err != nil {
		return err
	}
	g := declarations.structType("g")
	if g == nil {
		return p.unexpected("runtime2.go declares no type g")
	}
	declarations.insert(g.Fields.Closing, "commute_task uint32 ")
	return p.exploreScheduler()
}

// exploreScheduler changes functions in whose middle the token is asked for.
func (p *Package) exploreScheduler() error {
	f, err := p.parse("proc.go")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"schedule":    "if commute_late(gp) { goto top }; ",
		"exitsyscall": "if commute_unheld(gp) { Gosched() }; ",
	} {
		fn, err := f.method("", name)
		if err != nil {
			return err
		}
		var at token.Pos
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if stmt, ok := n.(*ast.IfStmt); ok && !at.IsValid() &&
				firstCall(stmt.Cond, "schedEnabled") != nil {
				at = stmt.Pos()
			}
			return true
		})
		if !at.IsValid() {
			return p.unexpected(name + " does not ask whether a goroutine may be scheduled")
		}
		f.insert(at, text)
	}
	newproc, err := f.method("", "newproc")
	if err != nil {
		return err
	}
	f.insert(newproc.Body.Rbrace, "; commute_spawned() ")
	return nil
}

// explorePoints are the hooks of points in packages sync and internal/sync. Each takes the address
// of the receiver.
var explorePoints = map[string][]insertion{
	"internal/sync": {
		{"mutex.go", "Mutex", "Lock", first, "commute_mutexPoint"},
		{"mutex.go", "Mutex", "TryLock", first, "commute_mutexPoint"},
		{"mutex.go", "Mutex", "Unlock", first, "commute_touch"},
	},
	"sync": {
		{"rwmutex.go", "RWMutex", "Lock", first, "commute_writerPoint"},
		{"rwmutex.go", "RWMutex", "TryLock", first, "commute_writerPoint"},
		{"rwmutex.go", "RWMutex", "RLock", first, "commute_readerPoint"},
		{"rwmutex.go", "RWMutex", "TryRLock", first, "commute_readerPoint"},
		{"cond.go", "Cond", "Wait", first, "commute_waitPoint"},
		{"cond.go", "Cond", "Signal", first, "commute_signalPoint"},
		{"cond.go", "Cond", "Broadcast", first, "commute_signalPoint"},
		{"waitgroup.go", "WaitGroup", "Wait", first, "commute_waitPoint"},
		{"once.go", "Once", "Do", first, "commute_waitPoint"},
	},
}

// ExplorePoints makes operations of package sync or internal/sync points.
func (p *Package) ExplorePoints() error {
	text := "package sync\n\nimport \"unsafe\"\n"
	declared := make(map[string]bool)
	var list []insertion
	for _, i := range explorePoints[p.Path] {
		if p.Perturbs && (i.file == "once.go" || i.text == "commute_touch") {
			continue // other builds don't rely on it
		}
		if !declared[i.text] {
			declared[i.text] = true
			text += "\n//go:linkname " + i.text + " runtime." + i.text + "\n//go:noescape\nfunc " +
				i.text + "(addr unsafe.Pointer)\n"
		}
		f, err := p.parse(i.file)
		if err != nil {
			return err
		}
		f.importPackage("unsafe")
		i.text += "(unsafe.Pointer($r))"
		list = append(list, i)
	}
	if p.Path == "sync" && p.Explores {
		if err := p.explorePool(); err != nil {
			return err
		}
	}
	p.Added = append(p.Added, edit.Added{Name: "commute_points.go",
		Data: edit.WithLine("commute/patch/points.go", []byte(text))})
	return p.insertAll(list)
}

// explorePool makes room in a sync.Pool for a part that all goroutines under control have.
func (p *Package) explorePool() error {
	f, err := p.parse("pool.go")
	if err != nil {
		return err
	}
	fn, err := f.method("Pool", "pinSlow")
	if err != nil {
		return err
	}
	call := firstCall(fn.Body, "GOMAXPROCS")
	if call == nil {
		return p.unexpected("pinSlow does not call GOMAXPROCS")
	}
	f.insert(call.Pos(), "1 + ")
	return nil
}

// leaksFile is added to package testing. A test that has leaked goroutines fails, unless it has
// failed already. It is asked when all else of it is over.
const leaksFile = `package testing

import (
	"io"
	"math"
	"time"
	_ "unsafe"
)

//go:linkname commute_leaked runtime.commute_leaked
func commute_leaked(left int64) string

func commuteLeaks(t *T) {
	if t.level != 1 || t.Failed() || t.Skipped() {
		return
	}
	left := int64(math.MaxInt64)
	if at, ok := t.Deadline(); ok {
		commute_ignoreClock(1)
		left = int64(time.Until(at))
		commute_ignoreClock(-1)
	}
	if text := commute_leaked(left); text != "" {
		io.WriteString(t.Output(), text)
		t.Fail()
		numFailed.Add(1)
	}
}

//go:linkname commute_ignoreClock runtime.commute_ignoreClock
func commute_ignoreClock(by int32)
`

// exploreTesting asks for leaked goroutines at the end of a test, and says where package testing
// looks at the clock for itself.
func (p *Package) exploreTesting() error {
	p.Added = append(p.Added, edit.Added{Name: "commute_leaks.go",
		Data: edit.WithLine("commute/patch/leaks.go", []byte(leaksFile))})
	const ignores = "commute_ignoreClock(1); defer commute_ignoreClock(-1)"
	return p.insertAll([]insertion{
		{"testing.go", "", "tRunner", "report", "commuteLeaks($0)"},
		{"testing_other.go", "", "highPrecisionTimeNow", first, ignores},
		{"testing_other.go", "", "highPrecisionTimeSince", first, ignores},
	})
}
