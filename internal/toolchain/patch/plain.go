// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Changes that keep the behaviour of a program as it is without -race. With raceenabled the runtime
// and sync also schedule at random, drop pooled objects, and work for a detector that watches
// memory.

// Pool makes sync.Pool keep the objects that are put into it, as it does without -race. It also
// orders the uses of each object by itself. With hide set, a pool of the standard library orders
// nothing: what it has is scratch memory, with nothing in it that one caller leaves to the next.
func (p *Package) Pool(hide bool) error {
	f, err := p.parse("pool.go")
	if err != nil {
		return err
	}
	put, err := f.method("Pool", "Put")
	if err != nil {
		return err
	}
	found := f.condition(put.Body, func(e ast.Expr) bool { return mentions(e, "runtime_randn") },
		func(c ast.Expr) {
			f.insert(c.Pos(), "false && ")
		})
	if !found {
		return p.unexpected("(*Pool).Put does not drop objects at random")
	}
	addr, err := f.method("", "poolRaceAddr")
	if err != nil {
		return err
	}
	// Each object gets an address of its own, in it but on none of its words. The library has 128
	// for all. So taking an object from a pool orders after the goroutine that put it, and after no
	// other.
	x := addr.Type.Params.List[0].Names[0].Name
	f.insert(addr.Body.Lbrace+1,
		" if true { return unsafe.Add((*[2]unsafe.Pointer)(unsafe.Pointer(&"+x+"))[1], 1) }; ")
	if !hide {
		return nil
	}
	for name, announces := range map[string]string{"Put": "ReleaseMerge", "Get": "Acquire"} {
		fn, err := f.method("Pool", name)
		if err != nil {
			return err
		}
		call := firstCall(fn.Body, announces)
		if call == nil {
			return p.unexpected("(*Pool)." + name + " does not call race." + announces)
		}
		f.replace(call.Fun.Pos(), call.Fun.End(), "commute_pool"+name)
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_pool.go",
		Data: edit.WithLine("commute/patch/pool.go", []byte(poolFile)),
	})
	return nil
}

// poolFile is added to package sync.
const poolFile = `package sync

import "unsafe"

//go:linkname commute_poolPut runtime.commute_poolPut
//go:noescape
func commute_poolPut(addr unsafe.Pointer)

//go:linkname commute_poolGet runtime.commute_poolGet
//go:noescape
func commute_poolGet(addr unsafe.Pointer)
`

// Scheduler keeps the order in which goroutines run as it is without -race, and announces os.Exit
// to the engine. A program that is replaced by another one writes its reports first. So does one
// whose goroutines are all asleep: the deadlock is reported after the findings. Each start and end
// of a goroutine asks whether it is one of the runtime's: the answer is remembered.
func (p *Package) Scheduler() error {
	f, err := p.parse("proc.go")
	if err != nil {
		return err
	}
	if !f.constant("randomizeScheduler") {
		return p.unexpected("proc.go does not declare randomizeScheduler by raceenabled")
	}
	exit, err := f.method("", "os_beforeExit")
	if err != nil {
		return err
	}
	hooks := callStmt(exit.Body, "runExitHooks")
	if hooks == nil {
		return p.unexpected("os_beforeExit does not call runExitHooks")
	}
	f.insert(hooks.End(), "; commute_exiting("+exit.Type.Params.List[0].Names[0].Name+")")
	for name, text := range map[string]string{
		"syscall_runtime_BeforeExec": " commute_drain(); ",
		"checkdead":                  " if commute_reportsPending() { return }; ",
	} {
		fn, err := f.method("", name)
		if err != nil {
			return err
		}
		f.insert(fn.Body.Lbrace+1, text)
	}
	return p.insertAll([]insertion{
		{"traceback.go", "", "isSystemGoroutine", first,
			"if commute_ordinary($0.startpc) { return false }"},
		{"traceback.go", "", "isSystemGoroutine", last, "commute_noteStart($0.startpc, funcname(f))"},
	})
}

// Coroutines announces the end of the goroutines that package iter makes for Pull. They end in
// coroexit, which doesn't tell the race detector, as goexit1 does for others. Without this the
// engine would keep them for ever.
func (p *Package) Coroutines() error {
	f, err := p.parse("coro.go")
	if err != nil {
		return err
	}
	exit, err := f.method("", "coroexit")
	if err != nil {
		return err
	}
	last := callStmt(exit.Body, "mcall")
	if last == nil {
		return p.unexpected("coroexit does not call mcall")
	}
	f.insert(last.Pos(), "racegoend(); ")
	return nil
}

// Timers tells releases by timers from others: what a timer starts is charged to the test that set
// it.
func (p *Package) Timers() error {
	f, err := p.parse("time.go")
	if err != nil {
		return err
	}
	for _, name := range [...]string{"newTimer", "resetTimer"} {
		fn, err := f.method("", name)
		if err != nil {
			return err
		}
		found := false
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == "racerelease" {
				f.replace(id.Pos(), id.End(), "commute_setTimer")
				found = true
			}
			return true
		})
		if !found {
			return p.unexpected(name + " does not call racerelease")
		}
	}
	return nil
}

// Channels lets two goroutines that meet on an unbuffered channel do so without a clock for the
// channel. Nothing reads such a clock: each release there overwrites the last one. A send or
// receive that finds no partner is announced as well. A channel knows whether several goroutines
// have used it, as such an attempt doesn't depend on what its own goroutine did.
func (p *Package) Channels() error {
	f, err := p.parse("chan.go")
	if err != nil {
		return err
	}
	sync, err := f.method("", "racesync")
	if err != nil {
		return err
	}
	params := sync.Type.Params.List
	if len(params) != 2 || len(params[0].Names) != 1 || len(params[1].Names) != 1 {
		return p.unexpected("racesync does not have a channel and a waiting goroutine")
	}
	channel, partner := params[0].Names[0].Name, params[1].Names[0].Name
	f.insert(sync.Body.Lbrace+1, " commute_operated("+channel+", "+partner+"); "+
		"if commute_rendezvous("+partner+".g, chanbuf("+channel+", 0)) { return }; ")
	if err := f.noteUse(); err != nil {
		return err
	}
	for _, name := range []string{"selectnbsend", "selectnbrecv"} {
		if err := f.failedAttempt(name); err != nil {
			return err
		}
	}
	if err := p.insertAll([]insertion{
		{"chan.go", "", "closechan", "racerelease", "commute_closing($0)"},
	}); err != nil {
		return err
	}
	return p.selects()
}

// noteUse gives a channel the goroutine that has used it.
func (f *parsed) noteUse() error {
	channel := f.structType("hchan")
	notify, err := f.method("", "racenotify")
	if err != nil {
		return err
	}
	params := notify.Type.Params.List
	if channel == nil || len(params) != 3 || len(params[0].Names) != 1 ||
		len(params[2].Names) != 1 {
		return f.pkg.unexpected("there is no hchan, or racenotify does not have one, " +
			"an index and a waiting goroutine")
	}
	f.insert(channel.Fields.Closing, "commute_by uint64; commute_told, commute_looked uint32 ")
	f.insert(notify.Body.Lbrace+1,
		" commute_operated("+params[0].Names[0].Name+", "+params[2].Names[0].Name+"); ")
	return nil
}

// structType is the declaration of a struct type, nil if there is none of that name.
func (f *parsed) structType(name string) *ast.StructType {
	for _, decl := range f.syntax.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			for _, spec := range gen.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.Name == name {
					s, _ := t.Type.(*ast.StructType)
					return s
				}
			}
		}
	}
	return nil
}

// failedAttempt announces each nonblocking send or receive by which nothing was done: a default
// case.
func (f *parsed) failedAttempt(name string) error {
	fn, err := f.method("", name)
	if err != nil {
		return err
	}
	ret, ok := fn.Body.List[len(fn.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 || fn.Type.Results == nil ||
		len(fn.Type.Results.List[0].Names) == 0 {
		return f.pkg.unexpected(name + " does not return what it has named")
	}
	var results []string
	for _, list := range fn.Type.Results.List {
		for _, id := range list.Names {
			results = append(results, id.Name)
		}
	}
	channel := ""
	for _, list := range fn.Type.Params.List {
		if star, ok := list.Type.(*ast.StarExpr); ok && len(list.Names) == 1 &&
			mentions(star.X, "hchan") {
			channel = list.Names[0].Name
		}
	}
	if channel == "" {
		return f.pkg.unexpected(name + " does not have a channel")
	}
	names := strings.Join(results, ", ")
	f.replace(ret.Pos(), ret.Results[0].Pos(), names+" = ")
	sends := "false"
	if name == "selectnbsend" {
		sends = "true"
	}
	f.insert(ret.End(), "; if !"+results[0]+" { commute_failedOn("+channel+", "+sends+
		") }; return "+names)
	return nil
}

// selects announces each select that takes its default case.
func (p *Package) selects() error {
	f, err := p.parse("select.go")
	if err != nil {
		return err
	}
	fn, err := f.method("", "selectgo")
	if err != nil {
		return err
	}
	found := false
	for _, stmt := range fn.Body.List {
		if when, ok := stmt.(*ast.IfStmt); ok && mentions(when.Cond, "block") &&
			len(when.Body.List) == 3 && callStmt(when.Body, "selunlock") != nil {
			unlock := callStmt(when.Body, "selunlock")
			if call := callIn(unlock, "selunlock"); len(call.Args) == 2 {
				if id, ok := call.Args[0].(*ast.Ident); ok {
					f.insert(unlock.End(), "; commute_failedOnAll("+id.Name+")")
					found = true
				}
			}
		}
	}
	if !found {
		return p.unexpected("selectgo does not unlock its channels where it must not block")
	}
	return nil
}

// Memory keeps the allocator as it is without -race: its fast paths, its tiny objects, and the
// addresses of the heap. (With -race they must fit the shadow of another detector, which on wasm
// fits nowhere.) The sweeper announces free memory, a span at a time, and not for each object.
func (p *Package) Memory() error {
	for _, name := range [...]string{"malloc.go", "malloc_generated.go"} {
		f, err := p.parse(name)
		if err != nil {
			return err
		}
		if !mentions(f.syntax, "raceenabled") {
			return p.unexpected(name + " does not ask for raceenabled")
		}
		if !f.tinyObjects() {
			return p.unexpected(name + " does not keep blocks of tiny objects")
		}
		f.withoutRace(f.syntax)
		if name == "malloc.go" {
			if err := p.allocations(f); err != nil {
				return err
			}
		}
		// An experiment: memory that is used again with no sweep in between.
		if c := f.value("runtimeFreegcEnabled"); c != nil {
			f.insert(c.Pos(), "false && ")
		} else if name == "malloc.go" {
			return p.unexpected("malloc.go does not declare runtimeFreegcEnabled")
		}
	}
	f, err := p.parse("mgcsweep.go")
	if err != nil {
		return err
	}
	sweep, err := f.method("sweepLocked", "sweep")
	if err != nil {
		return err
	}
	span := variableFor(sweep.Body, "mspan")
	if span == "" {
		return p.unexpected("(*sweepLocked).sweep has no variable for its mspan")
	}
	found := f.condition(sweep.Body, func(e ast.Expr) bool {
		return mentions(e, "raceenabled") && mentions(e, "traceAllocFreeEnabled")
	}, func(c ast.Expr) {
		f.insert(c.Pos(), "commute_sweep("+span+"); ")
		f.withoutRace(c)
	})
	if !found {
		return p.unexpected("(*sweepLocked).sweep does not look at freed objects for raceenabled")
	}
	return p.spans()
}

// tinyObjects lets no two objects have one block where schedules are explored: one that lives would
// keep another one reachable, and whether they are neighbors depends on the processor. Leaked
// goroutines are found by what is reachable. It reports whether there are such blocks.
func (f *parsed) tinyObjects() (found bool) {
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if when, ok := n.(*ast.IfStmt); ok && mentions(when.Cond, "raceenabled") &&
			mentions(when.Cond, "tinyoffset") {
			f.insert(when.Cond.Pos(), "!commute_exploring && ")
			found = true
		}
		return true
	})
	return found
}

// allocations announces each object that is allocated, for the allocation site in reports. The
// specialized functions for small sizes would pass by mallocgc: they are turned off.
func (p *Package) allocations(f *parsed) error {
	// else most allocations don't go through mallocgc
	specialized := f.value("sizeSpecializedMallocEnabled")
	if specialized == nil {
		return p.unexpected("malloc.go does not declare sizeSpecializedMallocEnabled")
	}
	f.insert(specialized.Pos(), "!commute_memory && ")
	alloc, err := f.method("", "mallocgc")
	if err != nil {
		return err
	}
	for _, stmt := range alloc.Body.List {
		if when, ok := stmt.(*ast.IfStmt); ok {
			if call := callOf(when.Body, "racemalloc"); call != nil && len(call.Args) == 2 {
				if x, ok := call.Args[0].(*ast.Ident); ok {
					f.insert(when.Pos(),
						"if commute_memory { commute_malloc("+x.Name+", "+
							alloc.Type.Params.List[0].Names[0].Name+") }; ")
					return nil
				}
			}
		}
	}
	return p.unexpected("mallocgc does not call racemalloc with a variable")
}

// variableFor is the variable that body sets to the field called name of something, "" if there is
// none.
func variableFor(body *ast.BlockStmt, name string) (variable string) {
	ast.Inspect(body, func(n ast.Node) bool {
		set, ok := n.(*ast.AssignStmt)
		if !ok || set.Tok != token.DEFINE || len(set.Lhs) != 1 {
			return true
		}
		if sel, ok := set.Rhs[0].(*ast.SelectorExpr); ok && sel.Sel.Name == name {
			variable = set.Lhs[0].(*ast.Ident).Name
		}
		return true
	})
	return variable
}

// spans announces pages that become part of the heap: a stack may have been there before.
func (p *Package) spans() error {
	f, err := p.parse("mheap.go")
	if err != nil {
		return err
	}
	alloc, err := f.method("mheap", "alloc")
	if err != nil {
		return err
	}
	ret, ok := alloc.Body.List[len(alloc.Body.List)-1].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return p.unexpected("(*mheap).alloc does not end with the return of a span")
	}
	span, ok := ret.Results[0].(*ast.Ident)
	if !ok {
		return p.unexpected("(*mheap).alloc does not return a variable")
	}
	f.insert(ret.Pos(), "commute_newSpan("+span.Name+"); ")
	return nil
}

// condition calls change for the condition of the first if statement in body that matches. It
// reports whether there is one.
func (f *parsed) condition(body *ast.BlockStmt, match func(ast.Expr) bool,
	change func(ast.Expr)) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		if stmt, ok := n.(*ast.IfStmt); ok && match(stmt.Cond) {
			change(stmt.Cond)
			found = true
		}
		return !found
	})
	return found
}

// mentions reports whether the identifier name occurs in e.
func mentions(e ast.Node, name string) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			found = true
		}
		return !found
	})
	return found
}

// withoutRace replaces raceenabled in e by false.
func (f *parsed) withoutRace(e ast.Node) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == "raceenabled" {
			f.replace(id.Pos(), id.End(), "false")
		}
		return true
	})
}

// constant takes raceenabled out of the value of a constant of the package. It reports whether it
// was there.
func (f *parsed) constant(name string) bool {
	v := f.value(name)
	if v == nil || !mentions(v, "raceenabled") {
		return false
	}
	f.withoutRace(v)
	return true
}

// value is the value of a constant of the package, nil if there is none.
func (f *parsed) value(name string) ast.Expr {
	for _, decl := range f.syntax.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.CONST {
			continue
		}
		for _, spec := range gen.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if ok && len(v.Names) == 1 && v.Names[0].Name == name && len(v.Values) == 1 {
				return v.Values[0]
			}
		}
	}
	return nil
}
