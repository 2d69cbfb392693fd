// Copyright 2026 The Commute Authors.
// SPDX-License-Identifier: BSD-3-Clause

package patch

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/commutego/commute/internal/toolchain/edit"
)

// Cond makes a sync.Cond's notification an edge from Signal or Broadcast to the return of Wait. The
// library does not announce it. Under -race the edge comes only from the Cond's lock, which a
// goroutine that notifies need not hold.
func (p *Package) Cond() error {
	f, err := p.parse("cond.go")
	if err != nil {
		return err
	}
	f.importPackage("internal/race")
	f.importPackage("unsafe")
	for _, name := range []string{"Signal", "Broadcast"} {
		fn, err := f.method("Cond", name)
		if err != nil {
			return err
		}
		f.insert(fn.Body.Lbrace+1,
			" race.ReleaseMerge(unsafe.Pointer("+fn.Recv.List[0].Names[0].Name+")); ")
	}
	wait, err := f.method("Cond", "Wait")
	if err != nil {
		return err
	}
	call := callStmt(wait.Body, "runtime_notifyListWait")
	if call == nil {
		return p.unexpected("(*Cond).Wait does not call runtime_notifyListWait")
	}
	f.insert(call.End(), "; race.Acquire(unsafe.Pointer("+wait.Recv.List[0].Names[0].Name+"))")
	return nil
}

// WaitGroup announces each addition to the counter of a sync.WaitGroup, where accesses to memory
// are watched. It orders nothing, but Wait depends on it.
func (p *Package) WaitGroup() error {
	f, err := p.parse("waitgroup.go")
	if err != nil {
		return err
	}
	add, err := f.method("WaitGroup", "Add")
	if err != nil {
		return err
	}
	stmt := calling(add.Body, "Add")
	params := add.Type.Params.List
	if stmt == nil || len(params) != 1 || len(params[0].Names) != 1 {
		return p.unexpected("(*WaitGroup).Add does not add what it is given")
	}
	f.importPackage("unsafe")
	f.insert(stmt.End(), "; if "+params[0].Names[0].Name+" > 0 { commute_adding(unsafe.Pointer("+
		add.Recv.List[0].Names[0].Name+"), "+params[0].Names[0].Name+") }")
	p.Added = append(p.Added, edit.Added{
		Name: "commute_waitgroup.go",
		Data: edit.WithLine("commute/patch/waitgroup.go", []byte(waitGroupFile)),
	})
	return nil
}

const waitGroupFile = `package sync

import "unsafe"

//go:linkname commute_adding runtime.commute_adding
//go:noescape
func commute_adding(group unsafe.Pointer, delta int)
`

// callStmt returns the statement of body that is a call of the function name.
func callStmt(body *ast.BlockStmt, name string) ast.Stmt {
	for _, stmt := range body.List {
		if callIn(stmt, name) != nil {
			return stmt
		}
	}
	return nil
}

// callOf is the call of [callStmt].
func callOf(body *ast.BlockStmt, name string) *ast.CallExpr {
	if stmt := callStmt(body, name); stmt != nil {
		return callIn(stmt, name)
	}
	return nil
}

// callIn returns the call that stmt is, if it's a call of the function name.
func callIn(stmt ast.Stmt, name string) *ast.CallExpr {
	if expr, ok := stmt.(*ast.ExprStmt); ok {
		if call, ok := expr.X.(*ast.CallExpr); ok {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == name {
				return call
			}
		}
	}
	return nil
}

// receiveFrom returns the statement of body that receives from a field called name.
func receiveFrom(body *ast.BlockStmt, name string) ast.Stmt {
	for _, stmt := range body.List {
		if expr, ok := stmt.(*ast.ExprStmt); ok {
			if recv, ok := expr.X.(*ast.UnaryExpr); ok && recv.Op == token.ARROW {
				if sel, ok := recv.X.(*ast.SelectorExpr); ok && sel.Sel.Name == name {
					return stmt
				}
			}
		}
	}
	return nil
}

// testingFile is added to package testing. What a test reads through package os is in the key of go
// test's cache, so a cached result depends on commute's options, too. Of files only those in the
// module count. So commute test puts a hash of the suppressions' text into a variable.
const testingFile = `package testing

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	_ "unsafe"
)

//go:linkname commute_testBegin runtime.commute_testBegin
func commute_testBegin(root bool, name string)

//go:linkname commute_ignoreEvents runtime.commute_ignoreEvents
func commute_ignoreEvents(by int8)

//go:linkname commute_testFindings runtime.commute_testFindings
func commute_testFindings() int

//go:linkname commute_reportsTo runtime.commute_reportsTo
func commute_reportsTo(fd uintptr)

// commuteReports has the reports of a fuzzer's worker. Nobody reads what that writes to standard
// error, so they are a part of why a test fails.
var commuteReports struct {
	file *os.File // nil if the process is none
	read int64
	last string
}

func commuteKeepReports() {
	r := &commuteReports
	if isFuzzWorker == nil || !*isFuzzWorker || r.file != nil {
		return
	}
	if f, err := os.CreateTemp("", "commute-reports-"); err == nil {
		os.Remove(f.Name()) // it is there as long as this process
		r.file = f
		commute_reportsTo(f.Fd())
	}
}

// commuteReported is what was reported since it was called last, or else what was reported then: a
// fuzzer tries the same once more with other inputs.
func commuteReported() string {
	r := &commuteReports
	if r.file == nil {
		return ""
	}
	text, _ := io.ReadAll(io.NewSectionReader(r.file, r.read, math.MaxInt64-r.read))
	if r.read += int64(len(text)); len(text) > 0 {
		r.last = string(text)
	}
	return r.last
}

// commuteFail fails a test with which something was found. That is of no line of the test's.
func commuteFail(c *common) {
	if n := c.destination(); n != nil {
		n.flushPartial()
		said := "commute: " + commuteFound(commute_testFindings()) + "\n" + commuteReported()
		n.o.%ssaid)%s)
	}
	c.Fail()
	commuteArtifacts(c)
}

func commuteFound(n int) string {
	switch n {
	case 0:
		return "what is reported with another test was found in this one, too"
	case 1:
		return "1 finding in this test"
	}
	return fmt.Sprintf("%%d findings in this test", n)
}

func commuteTestBegin(root bool, name string) {
	if root {
		os.Getenv("COMMUTE_RULES")
		for option := range strings.SplitSeq(os.Getenv("COMMUTE"), " ") {
			if name, ok := strings.CutPrefix(option, "suppressions="); ok {
				if f, err := os.Open(strings.ReplaceAll(name, "%%20", " ")); err == nil {
					f.Close()
				}
			}
		}
	}
	commuteKeepReports()
	commute_testBegin(root, name)
}
`

// Testing announces that a test begins, when package testing notes how many races there were before
// it. It also keeps parallel tests from being ordered by their turns: these order accesses of two
// tests in this run only.
func (p *Package) Testing() error {
	f, err := p.parse("testing.go")
	if err != nil {
		return err
	}
	fn, err := f.method("common", "resetRaces")
	if err != nil {
		return err
	}
	recv := fn.Recv.List[0].Names[0].Name
	f.insert(fn.Body.Lbrace+1, " commuteTestBegin("+recv+".parent == nil, "+recv+".name); ")
	parallel, err := f.method("T", "Parallel")
	if err != nil {
		return err
	}
	barrier := receiveFrom(parallel.Body, "barrier")
	if barrier == nil {
		return p.unexpected("(*T).Parallel does not wait for a barrier")
	}
	// What follows is a semaphore and output. That a sibling went through them before orders
	// nothing.
	f.insert(barrier.End(), "; commute_ignoreEvents(64); defer commute_ignoreEvents(-64)")
	fails, err := f.method("common", "checkRaces")
	if err != nil {
		return err
	}
	call := callWith(fails.Body, `"race detected during execution of test"`)
	if call == nil {
		return p.unexpected("(*common).checkRaces does not fail the test")
	}
	f.replace(call.Pos(), call.End(), "commuteFail("+fails.Recv.List[0].Names[0].Name+")")
	write := [2]any{"write([]byte(", ", true"}
	if _, err := f.method("outputWriter", "write"); err != nil {
		write = [2]any{"Write([]byte(", ""} // before Go 1.27
	}
	p.Added = append(p.Added, edit.Added{
		Name: "commute_testing.go",
		Data: edit.WithLine("commute/patch/testing.go", fmt.Appendf(nil, testingFile, write[:]...)),
	}, edit.Added{
		Name: "commute_artifacts.go",
		Data: edit.WithLine("commute/patch/artifacts.go", []byte(artifactsFile)),
	})
	if p.Explores {
		return p.exploreTesting()
	}
	if p.Perturbs {
		return nil
	}
	return p.testingLeaks()
}

// callWith is the call in a body whose only argument is a literal, nil if there is none.
func callWith(body *ast.BlockStmt, literal string) (found *ast.CallExpr) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if arg, ok := call.Args[0].(*ast.BasicLit); ok && arg.Value == literal {
				found = call
			}
		}
		return true
	})
	return found
}

// TestingLock hides the lock of a test where goroutines take it to log, or to say that a function
// is a helper. What they find there is for reports of package testing alone. It is not for programs
// whose accesses to memory are watched: what the lock guards is in maps, which announce accesses.
func (p *Package) TestingLock() error {
	f, err := p.parse("testing.go")
	if err != nil {
		return err
	}
	write := "write"
	if _, err := f.method("outputWriter", write); err != nil {
		write = "Write" // before Go 1.27
	}
	list := []insertion{{recv: "outputWriter", name: write}}
	for _, name := range []string{"Helper", "destination", "callSite", "flushPartial"} {
		list = append(list, insertion{recv: "common", name: name})
	}
	for i := range list {
		list[i].file, list[i].at = "testing.go", first
		list[i].text = "commute_ignoreEvents(1); defer commute_ignoreEvents(-1)"
	}
	return p.insertAll(list)
}
